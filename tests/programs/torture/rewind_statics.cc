// Static locals, thread-locals with destructors, globals that grow: all of them new in every run.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pristine.h"

namespace {

int made = 0, destroyed = 0, counter = 0;
std::mutex mutex;
std::string text = "short";
std::string long_text(100, 'a');
std::vector<int> numbers = {1, 2, 3};
std::map<std::string, std::vector<int>> table = {{"before main", {1}}};
std::shared_ptr<int> shared = std::make_shared<int>(5);

struct Counted {
  int value = 11;
  Counted() { __atomic_fetch_add(&made, 1, __ATOMIC_SEQ_CST); }
  ~Counted() { __atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST); }
};
thread_local Counted per_thread;
thread_local std::string thread_text = "new";
thread_local int plain_zero;
thread_local int plain_set = 42;

Counted& local() {
  static Counted one;
  static const std::string heavy(1000, 'x');
  MUST(heavy.size() == 1000);
  return one;
}

void work(int number) {
  PRISTINE(plain_zero == 0 && plain_set == 42 && thread_text == "new");
  std::shared_ptr<int> mine = shared;
  std::lock_guard<std::mutex> lock(mutex);
  PRISTINE(per_thread.value == 11);
  per_thread.value = number;
  thread_text += std::string(200, 'b');
  plain_zero = plain_set = number;
  local().value++;
  text += long_text;
  numbers.push_back(number);
  table[std::to_string(number)].assign(50, number);
  counter++;
}

}  // namespace

int main() {
  PRISTINE(made == 0 && destroyed == 0 && counter == 0);
  PRISTINE(text == "short" && long_text == std::string(100, 'a'));
  PRISTINE(numbers.size() == 3 && table.size() == 1 && shared.use_count() == 1);
  PRISTINE(plain_zero == 0 && plain_set == 42 && thread_text == "new");
  PRISTINE(per_thread.value == 11);
  per_thread.value = 0;
  std::thread a(work, 1), b(work, 2), c(work, 3);
  a.join(), b.join(), c.join();
  MUST(counter == 3 && numbers.size() == 6 && table.size() == 4 && destroyed == 3);
  long_text.clear();
  table.clear();
  shared.reset();
  plain_zero = 1;
}

// SPDX-License-Identifier: Apache-2.0
