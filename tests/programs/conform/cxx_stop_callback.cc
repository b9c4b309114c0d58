// Destroying a stop_callback while it runs in another thread waits for it; destroying it from
// within itself does not.
#include <atomic>
#include <functional>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <thread>

#include "../check.h"

int main() {
  for (int round = 0; round < 20; round++) {
    std::stop_source source;
    std::binary_semaphore running(0), may_finish(0);
    std::atomic<bool> finished{false};
    auto callback = [&] {
      running.release();
      may_finish.acquire();
      finished = true;
    };
    std::optional<std::stop_callback<decltype(callback)>> registered(std::in_place,
                                                                     source.get_token(), callback);
    std::jthread asker([&] { CHECK(source.request_stop()); });
    running.acquire();
    std::jthread helper([&] { may_finish.release(); });
    registered.reset();  // must not return before the callback has
    CHECK(finished);
  }

  // Either the registration or the request comes first: the callback runs exactly once.
  for (int round = 0; round < 20; round++) {
    std::stop_source source;
    std::atomic<int> calls{0};
    std::jthread asker([&] { source.request_stop(); });
    std::jthread registrar([&] {
      std::stop_callback c(source.get_token(), [&] { calls++; });
      while (!source.stop_requested()) std::this_thread::yield();
    });
    asker.join();
    registrar.join();
    CHECK_EQ(calls.load(), 1);
  }

  // From within itself.
  std::stop_source source;
  struct Self {
    void operator()() const { reset(); }
    std::function<void()> reset;
  };
  std::optional<std::stop_callback<Self>> self;
  bool ran = false;
  self.emplace(source.get_token(), Self{[&] {
                 ran = true;
                 self.reset();
               }});
  std::jthread asker([&] { source.request_stop(); });
  asker.join();
  CHECK(ran && !self);
  return check_passed("cxx_stop_callback");
}

// SPDX-License-Identifier: Apache-2.0
