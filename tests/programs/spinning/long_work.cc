// Correct programs that take long, chosen by the argument: what they do is finite, and they get on.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::atomic<long> counter{0};
std::atomic<bool> stop{false};
std::mutex mutex;
long guarded = 0;

// Each thread on its own half; main reads all of it when they are done.
int halves() {
  std::vector<unsigned char> bytes(1 << 16);
  const auto work = [](unsigned char* from) {
    for (int round = 0; round < 8; ++round) {
      for (int i = 0; i < 1 << 15; ++i) from[i] = static_cast<unsigned char>(from[i] * 31 + 7);
    }
  };
  std::thread a(work, bytes.data()), b(work, bytes.data() + (1 << 15));
  a.join();
  b.join();
  unsigned sum = 0;
  for (const unsigned char byte : bytes) sum += byte;
  return sum == 1;
}

int increments() {
  const auto work = [] {
    for (int i = 0; i < 700'000; ++i) ++counter;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  return counter != 1'400'000;
}

// Reads one word a hundred thousand times while it holds a lock.
int reads_under_lock() {
  const auto work = [] {
    const std::lock_guard guard(mutex);
    long sum = 0;
    for (int i = 0; i < 100'000; ++i) sum += counter.load();
    guarded += sum == 0 || sum == 100'000;
    ++counter;
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  return guarded != 2;
}

// Workers are busy until main, which sleeps, says stop.
int until_stopped() {
  const auto work = [] {
    while (!stop) {
      const std::lock_guard guard(mutex);
      ++guarded;
    }
  };
  std::thread a(work), b(work);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  stop = true;
  a.join();
  b.join();
  return 0;
}

// One thread counts until main, which waits for another process, says stop.
int until_a_child_ends() {
  std::thread counts([] {
    while (!stop) ++counter;
  });
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  stop = true;
  counts.join();
  return status;
}

// Two threads pass a turn to each other until a third, who wants the same mutex, says that it is
// over. Between two turns it could have the mutex every time.
int passes_the_turn() {
  static std::condition_variable passed;
  static int turn = 0, over = 0;
  const auto play = [](int me) {
    std::unique_lock lock(mutex);
    while (!over) {
      turn = 1 - me;
      passed.notify_all();
      passed.wait(lock, [me] { return turn == me || over; });
    }
  };
  std::thread a(play, 0), b(play, 1);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  {
    const std::lock_guard guard(mutex);
    over = 1;
    passed.notify_all();
  }
  a.join();
  b.join();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  struct Case {
    const char* name;
    int (*run)();
  };
  constexpr Case kCases[] = {{"halves", halves},
                             {"increments", increments},
                             {"reads_under_lock", reads_under_lock},
                             {"until_stopped", until_stopped},
                             {"until_a_child_ends", until_a_child_ends},
                             {"passes_the_turn", passes_the_turn}};
  for (const Case& each : kCases) {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) return each.run();
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
