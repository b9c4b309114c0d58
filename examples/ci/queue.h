// A queue that threads share.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

class Queue {
 public:
  void push(int value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    items_.push_back(value);
  }

  // The oldest item; nothing when there is none.
  std::optional<int> pop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int value = items_.front();
    items_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::deque<int> items_;
};

// SPDX-License-Identifier: Apache-2.0
