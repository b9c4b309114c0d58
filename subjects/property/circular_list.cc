// Workers take a job from the front of a list and put it back at the end when it is not done yet.
//
// Wrong: to take and to put back are two steps, each under the lock, but not both together.
// Shown when: the first job is one that has to go round (its number is the input), and two workers
// take a job each before either puts it back, in the other order.
// Failure: assert: the order in the list has changed.
// From: the circular list of Maple's benchmarks as in table 5.2 (CL) of Sumit Padhiyar's thesis;
// which jobs go round is the input. Written from the description.
#include <cassert>
#include <deque>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

namespace {

constexpr int kJobs[] = {1024, 2048, 4096};

struct List {
  std::mutex lock;
  std::deque<int> jobs{std::begin(kJobs), std::end(kJobs)};

  int take() {
    const std::lock_guard guard(lock);
    const int job = jobs.front();
    jobs.pop_front();
    return job;
  }
  void put_back(int job) {
    const std::lock_guard guard(lock);
    jobs.push_back(job);
  }
  bool begins_with(int job) {
    const std::lock_guard guard(lock);
    return !jobs.empty() && jobs.front() == job;
  }
};

void test(int first, int second) {
  List list;
  const auto work = [&list](int job) {
#ifdef FIXED
    const std::lock_guard guard(list.lock);
    if (list.jobs.front() != job) return;
    list.jobs.pop_front();
    list.jobs.push_back(job);
#else
    if (list.begins_with(job)) list.put_back(list.take());
#endif
  };
  std::thread one(work, first), two(work, second);
  one.join();
  two.join();
  // Any rotation of the jobs will do.
  for (size_t i = 0; i < list.jobs.size(); ++i) {
    const int next = list.jobs[(i + 1) % list.jobs.size()];
    assert(list.jobs[i] == kJobs[0] ? next == kJobs[1] : true);
    assert(list.jobs[i] == kJobs[1] ? next == kJobs[2] : true);
  }
}

}  // namespace

int main() {
  using namespace jostle;
  property("circular_list", gen::any<int>().named("first"), gen::any<int>().named("second"), test);
}

// SPDX-License-Identifier: Apache-2.0
