// std::jthread: joins by itself, asks to stop first; stop_source, stop_token, stop_callback.
#include <atomic>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "../check.h"

int main() {
  // The destructor requests the stop and joins.
  std::atomic<int> finished{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; i++) {
      threads.emplace_back([&finished](std::stop_token token) {
        while (!token.stop_requested()) std::this_thread::yield();
        finished++;
      });
    }
  }
  CHECK_EQ(finished.load(), 4);

  // Without a token it only joins.
  {
    std::jthread t([&finished] { finished++; });
    CHECK(t.joinable());
  }
  CHECK_EQ(finished.load(), 5);

  // request_stop is true for one caller only; callbacks run once, in the thread that asks.
  std::jthread waiting([](std::stop_token token) {
    std::binary_semaphore woken(0);
    std::stop_callback wake(token, [&woken] { woken.release(); });
    woken.acquire();
    CHECK(token.stop_requested());
  });
  CHECK(waiting.get_stop_token().stop_possible());
  std::atomic<int> won{0};
  {
    std::vector<std::jthread> askers;
    for (int i = 0; i < 4; i++) {
      askers.emplace_back([&] {
        if (waiting.request_stop()) won++;
      });
    }
  }
  CHECK_EQ(won.load(), 1);
  waiting.join();
  CHECK(!waiting.request_stop());

  std::stop_source source;
  std::stop_token token = source.get_token();
  const auto self = std::this_thread::get_id();
  int calls = 0;
  std::stop_callback first(token, [&] {
    CHECK(std::this_thread::get_id() == self);
    CHECK(token.stop_requested());
    calls++;
  });
  {
    std::stop_callback dropped(token, [&] { calls += 100; });
  }
  CHECK(!token.stop_requested());
  CHECK(source.request_stop());
  CHECK(!source.request_stop());
  CHECK_EQ(calls, 1);
  std::stop_callback late(token, [&] { calls++; });  // already stopped: at once
  CHECK_EQ(calls, 2);

  std::stop_token none;
  CHECK(!none.stop_possible() && !none.stop_requested());
  std::stop_source empty(std::nostopstate);
  CHECK(!empty.stop_possible() && !empty.request_stop());
  std::stop_token orphan;
  {
    std::stop_source temporary;
    orphan = temporary.get_token();
    CHECK(orphan.stop_possible());
  }
  CHECK(!orphan.stop_possible());
  return check_passed("cxx_jthread");
}

// SPDX-License-Identifier: Apache-2.0
