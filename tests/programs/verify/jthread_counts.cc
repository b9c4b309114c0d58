// std::jthread: joined by its destructor, asked to stop.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "counted.h"

static std::atomic<int> x;

COUNTED(jthread) {
  std::jthread one([] { ++x; });
  std::jthread two([] { ++x; });
}
COUNTED(jthread_looks) {
  std::jthread worker([](const std::stop_token& stop) {
    if (!stop.stop_requested()) ++x;
  });
  worker.request_stop();
}
COUNTED(jthread_until_stopped) {
  std::jthread worker([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
    ++x;
  });
}
COUNTED(jthread_stop_callback) {
  std::jthread worker(
      [](const std::stop_token& stop) { const std::stop_callback callback(stop, [] { ++x; }); });
  worker.request_stop();
}
COUNTED(jthread_waits) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::jthread worker([&](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    changed.wait(lock, stop, [] { return false; });
  });
}

// SPDX-License-Identifier: Apache-2.0
