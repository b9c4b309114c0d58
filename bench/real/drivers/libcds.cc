// SPDX-License-Identifier: Apache-2.0
// libcds: two producers and two consumers of its queues, two threads at a list; hazard pointers.
#include <cds/container/michael_list_hp.h>
#include <cds/container/msqueue.h>
#include <cds/container/vyukov_mpmc_cycle_queue.h>
#include <cds/gc/hp.h>
#include <cds/init.h>

#include <atomic>
#include <cassert>
#include <string>
#include <thread>

template <typename Work>
static std::thread attached(Work work) {
  return std::thread([work] {
    cds::threading::Manager::attachThread();
    work();
    cds::threading::Manager::detachThread();
  });
}
template <typename Queue>
static void pass_on(Queue& queue) {
  std::atomic<int> sum = 0;
  auto produce = [&](int n) {
    while (!queue.enqueue(n)) std::this_thread::yield();
  };
  auto consume = [&](int n) {
    for (; !queue.dequeue(n);) std::this_thread::yield();
    sum += n;
  };
  std::thread threads[] = {attached([&] { produce(1), produce(2); }), attached([&] { produce(4); }),
                           attached([&] { consume(0), consume(0); })};
  consume(0);
  for (std::thread& one : threads) one.join();
  assert(sum == 7);
}
struct Traits : cds::container::michael_list::traits {
  using less = std::less<int>;
};
static void list() {
  cds::container::MichaelList<cds::gc::HP, int, Traits> numbers;
  std::atomic<int> balance = 0;
  auto work = [&](int from) {
    for (int n : {0, 1, 2}) balance += numbers.insert(n);
    while (from < 3) balance -= numbers.erase(from++);
  };
  std::thread other = attached([&] { work(0); });
  work(1), other.join();
  assert(balance == numbers.contains(0) + numbers.contains(1) + numbers.contains(2));
}
int main(int, char** argv) {
  cds::Initialize();
  const cds::gc::HP hazard_pointers;
  const std::string what = argv[1];
  cds::threading::Manager::attachThread();
  if (what == "list") list();
  if (cds::container::MSQueue<cds::gc::HP, int> queue; what == "ms") pass_on(queue);
  if (cds::container::VyukovMPMCCycleQueue<int> queue(2); what == "vyukov") pass_on(queue);
}
