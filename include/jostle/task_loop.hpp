// SPDX-License-Identifier: Apache-2.0
// A tiny task loop whose order is the search's choice, for code that has a loop of its own: tests
// of coroutines, actors, queues of a user interface. Header-only; without Jostle it is an ordinary
// loop, first in first out.
//
//     jostle::TaskLoop loop;
//     loop.post([&] { ... });                      // some time later, in any order with the others
//     loop.post_after(10ms, [&] { ... });          // not earlier than that; may be late
//     jostle::TaskLoop::Strand strand(loop);
//     strand.post([&] { ... });                    // in the order of posting with its like
//     co_await loop.schedule();                    // the rest of the coroutine is a task
//     co_await loop.sleep_for(10ms);
//     loop.run();                                  // until nothing is left
//
// Time is the loop's own: it passes when nothing else is ready, or when a timer is chosen to be
// faster than what is ready.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/task_loop.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <jostle/choose.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace jostle {

class TaskLoop {
 public:
  using Task = std::function<void()>;
  using Duration = std::chrono::nanoseconds;

  void post(Task task) { ready_.push_back({std::move(task), nullptr}); }
  void post_after(Duration time, Task task) { timers_.push_back({now_ + time, std::move(task)}); }
  Duration now() const { return now_; }

  // Tasks that keep their order among each other. Has to outlive them.
  class Strand {
   public:
    explicit Strand(TaskLoop& loop) : loop_(loop) {}
    Strand(const Strand&) = delete;
    Strand& operator=(const Strand&) = delete;
    void post(Task task) { loop_.ready_.push_back({std::move(task), this}); }

   private:
    TaskLoop& loop_;
  };

  // Runs one task. False when there is none.
  bool run_one() {
    const size_t firsts = count_runnable();
    const bool has_timer = !timers_.empty();
    if (firsts == 0 && !has_timer) return false;
    // The last alternative: time passes until the earliest timer strikes.
    const size_t next = choose(firsts + has_timer);
    Task task = next < firsts ? take_runnable(next) : take_timer();
    task();
    return true;
  }
  void run() {
    while (run_one()) {
    }
  }

  // ---- coroutines
  auto schedule() {
    struct Awaiter {
      TaskLoop& loop;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> rest) {
        loop.post([rest] { rest.resume(); });
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  auto sleep_for(Duration time) {
    struct Awaiter {
      TaskLoop& loop;
      Duration time;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> rest) {
        loop.post_after(time, [rest] { rest.resume(); });
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, time};
  }

 private:
  struct Ready {
    Task task;
    const Strand* strand;  // null: in no particular order
  };
  struct Timer {
    Duration due;
    Task task;
  };

  static size_t choose(size_t alternatives) {
    if (alternatives < 2 || !jostle_choose) return 0;
    return jostle_choose(static_cast<unsigned>(alternatives));
  }

  bool is_first_of_strand(size_t i) const {
    for (size_t before = 0; ready_[i].strand && before < i; ++before) {
      if (ready_[before].strand == ready_[i].strand) return false;
    }
    return true;
  }
  size_t count_runnable() const {
    size_t count = 0;
    for (size_t i = 0; i < ready_.size(); ++i) count += is_first_of_strand(i);
    return count;
  }
  Task take_runnable(size_t n) {
    size_t i = 0;
    while (!is_first_of_strand(i) || n-- > 0) ++i;
    Task task = std::move(ready_[i].task);
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(i));
    return task;
  }

  // The earliest; of several for the same time the one that was set first.
  Task take_timer() {
    size_t earliest = 0;
    for (size_t i = 1; i < timers_.size(); ++i) {
      if (timers_[i].due < timers_[earliest].due) earliest = i;
    }
    if (timers_[earliest].due > now_) now_ = timers_[earliest].due;
    Task task = std::move(timers_[earliest].task);
    timers_.erase(timers_.begin() + static_cast<std::ptrdiff_t>(earliest));
    return task;
  }

  std::deque<Ready> ready_;
  std::vector<Timer> timers_;
  Duration now_{};
};

}  // namespace jostle
