// Promises, futures and tasks.
#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "counted.h"

static std::optional<std::promise<int>> promise;
static std::future<int> future;
static std::shared_future<int> shared;
static std::atomic<int> x;

static void set_value(int) { promise->set_value(7); }
static void set_exception(int) { promise->set_exception(std::make_exception_ptr(7)); }
static void set_at_end(int) { promise->set_value_at_thread_exit(7); }
static void get(int) { future.get(); }
static void get_and_count(int) { x += future.get(); }
static void count_one(int) { ++x; }
static void wait_shared(int) { shared.wait(); }
static void get_or_catch(int) {
  try {
    future.get();
  } catch (int) {
  }
}
static void make_promise() {
  promise.emplace();
  future = promise->get_future();
}

COUNTED(future) {
  make_promise();
  start<set_value>(), start<get>();
}
COUNTED(future_at_end) {
  make_promise();
  start<set_at_end>(), start<get>();
}
// Behind the end of what it set at its end; the last who has the result destroys it.
static void look_and_drop(int) {
  if (future.wait_for(std::chrono::seconds(0)) == std::future_status::ready) future.get();
  future = {};
}
COUNTED(future_at_end_dropped) {
  make_promise();
  start<set_at_end>(), start<look_and_drop>();
}
COUNTED(future_exception) {
  make_promise();
  start<set_exception>(), start<get_or_catch>();
}
COUNTED(future_and_count) {
  make_promise();
  start<set_value>(), start<get_and_count>(), start<count_one>();
}
COUNTED(shared_future) {
  make_promise();
  shared = future.share();
  start<set_value>(), start_each<wait_shared>(n);
}
COUNTED(async) {
  auto one = std::async(std::launch::async, [] { return ++x; });
  auto two = std::async(std::launch::async, [] { return ++x; });
  one.get();
  two.get();
}
COUNTED(async_and_main) {
  auto one = std::async(std::launch::async, [] { return ++x; });
  ++x;
  one.get();
}
COUNTED(async_exception) {
  auto one = std::async(std::launch::async, [] {
    if (++x == 1) throw 1;
  });
  ++x;
  try {
    one.get();
  } catch (int) {
    ++x;
  }
}
COUNTED(packaged_task) {
  std::packaged_task<int()> task([] { return ++x; });
  std::future<int> result = task.get_future();
  std::thread thread(std::move(task));
  result.get();
  thread.join();
}

// SPDX-License-Identifier: Apache-2.0
