// Two tasks of a spacecraft's executive, each of which waits for an event that the other signals.
//
// Wrong: a task compares its count of the events with the event's own, and then waits, in two
// steps: an event in between is missed.
// Shown when: the tasks go round often enough (the input), and one misses the other's last event
// between the test and the wait.
// Failure: deadlock.
// From: the Remote Agent's error that Java PathFinder was tried on, as in table 5.2 (RAX) of Sumit
// Padhiyar's thesis; the mode that synchronises is the input. Written from the description.
#include <condition_variable>
#include <jostle/jostle.hpp>
#include <mutex>
#include <thread>

namespace {

constexpr int kSynchronised = 1998;

class Event {
 public:
  int count() {
    const std::lock_guard lock(lock_);
    return count_;
  }
  // Waits for the next one after those that the caller has counted.
  void wait(int counted) {
    std::unique_lock lock(lock_);
#ifdef FIXED
    while (count_ == counted) happened_.wait(lock);
#else
    (void)counted;
    happened_.wait(lock);
#endif
  }
  void signal() {
    const std::lock_guard lock(lock_);
    ++count_;
    happened_.notify_all();
  }

 private:
  std::mutex lock_;
  std::condition_variable happened_;
  int count_ = 0;
};

void test(int mode) {
  Event first, second;
  std::thread planner([&] {
    int counted = 0;
    for (int round = 0; round < 2; ++round) {
      if (mode == kSynchronised && counted == first.count()) first.wait(counted);
      counted = first.count();
      second.signal();
    }
  });
  std::thread executive([&] {
    int counted = 0;
    for (int round = 0; round < 2; ++round) {
      first.signal();
      if (mode == kSynchronised && counted == second.count()) second.wait(counted);
      counted = second.count();
    }
  });
  planner.join();
  executive.join();
}

}  // namespace

int main() { jostle::property("remote_agent", jostle::gen::any<int>().named("mode"), test); }

// SPDX-License-Identifier: Apache-2.0
