// fails: never
// What each thread does is said by an argument, in operations like s0r2: the operation (load,
// store, add, exchange, compare, fence), which of two variables, the memory order (x: relaxed,
// acquire, release, both, sequential), a value. How many executions that has is known from the
// model.
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace {

std::atomic<int> variables[3];

std::memory_order order_of(char letter) {
  switch (letter) {
    case 'a':
      return std::memory_order_acquire;
    case 'r':
      return std::memory_order_release;
    case 'b':
      return std::memory_order_acq_rel;
    case 's':
      return std::memory_order_seq_cst;
    default:
      return std::memory_order_relaxed;
  }
}

void run(const char* operations) {
  int expected = 0;
  for (; operations[0] != '\0'; operations += 4) {
    std::atomic<int>& variable = variables[operations[1] - '0'];
    const std::memory_order order = order_of(operations[2]);
    const int value = operations[3] - '0';
    switch (operations[0]) {
      case 'l':
        (void)variable.load(order);
        break;
      case 's':
        variable.store(value, order);
        break;
      case 'a':
        variable.fetch_add(value, order);
        break;
      case 'e':
        variable.exchange(value, order);
        break;
      case 'c':
        variable.compare_exchange_strong(expected, value, order);
        break;
      case 'f':
        std::atomic_thread_fence(order);
        break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::thread> threads;
  for (int i = 1; i < argc; ++i) {
    if (strlen(argv[i]) % 4 != 0) return 2;
    threads.emplace_back(run, argv[i]);
  }
  for (std::thread& thread : threads) thread.join();
}

// SPDX-License-Identifier: Apache-2.0
