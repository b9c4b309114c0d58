// What buffer_if and buffer_notify share: a bounded buffer with one condition for all who wait.
#pragma once

#include <condition_variable>
#include <mutex>

class BoundedBuffer {
 public:
  explicit BoundedBuffer(int capacity) : capacity_(capacity) {}

  // False: it was woken in vain, and there is no room after all.
  bool put() {
    std::unique_lock lock(lock_);
    const auto ready = [this] { return count_ < capacity_; };
    wait(lock, ready);
    if (!ready()) return false;
    ++count_;
    tell();
    return true;
  }
  bool get() {
    std::unique_lock lock(lock_);
    const auto ready = [this] { return count_ > 0; };
    wait(lock, ready);
    if (!ready()) return false;
    --count_;
    tell();
    return true;
  }

 private:
  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready ready) {
#if defined(TESTS_ONCE) && !defined(FIXED)
    if (!ready()) changed_.wait(lock);
#else
    while (!ready()) changed_.wait(lock);
#endif
  }
  void tell() {
#if defined(WAKES_ONE) && !defined(FIXED)
    changed_.notify_one();
#else
    changed_.notify_all();
#endif
  }

  const int capacity_;
  int count_ = 0;
  std::mutex lock_;
  std::condition_variable changed_;
};

// SPDX-License-Identifier: Apache-2.0
