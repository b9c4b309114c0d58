// std::thread: arguments by value, reference and move, ids, swap, detach, hardware_concurrency,
// joinable states, errors.
#include <pthread.h>

#include <future>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "../check.h"

struct Adder {
  int base;
  void add(int n, int& out) const { out = base + n; }
  void operator()(int n, int& out) const { out = base * n; }
};

int main() {
  int a = 0, b = 0, c = 0;
  Adder adder{40};
  std::thread t1(&Adder::add, &adder, 2, std::ref(a));
  std::thread t2(adder, 2, std::ref(b));
  auto owned = std::make_unique<int>(7);
  std::thread t3([&c](std::unique_ptr<int> p, std::string s) { c = *p + (int)s.size(); },
                 std::move(owned), "text");
  CHECK(!owned);
  CHECK(t1.joinable() && t2.joinable() && t3.joinable());
  CHECK(t1.get_id() != t2.get_id() && t2.get_id() != t3.get_id());
  CHECK(t1.get_id() != std::this_thread::get_id());
  t1.join();
  t2.join();
  t3.join();
  CHECK_EQ(a, 42);
  CHECK_EQ(b, 80);
  CHECK_EQ(c, 11);
  CHECK(!t1.joinable());
  CHECK(t1.get_id() == std::thread::id());

  // Moving and swapping keep the identity.
  std::thread::id inside;
  std::thread t4([&inside] { inside = std::this_thread::get_id(); });
  const auto id = t4.get_id();
  std::thread t5 = std::move(t4);
  CHECK(!t4.joinable() && t5.get_id() == id);
  std::swap(t4, t5);
  CHECK(t4.get_id() == id && !t5.joinable());
  CHECK(t4.native_handle() != pthread_self());
  t4.join();
  CHECK(inside == id);

  // Misuse throws.
  try {
    t4.join();
    CHECK(!"join of nothing");
  } catch (const std::system_error& e) {
    CHECK(e.code() == std::errc::invalid_argument);
  }
  try {
    t4.detach();
    CHECK(!"detach of nothing");
  } catch (const std::system_error& e) {
    CHECK(e.code() == std::errc::invalid_argument);
  }

  std::promise<int> done;
  std::thread([&done] { done.set_value_at_thread_exit(9); }).detach();
  CHECK_EQ(done.get_future().get(), 9);

  CHECK(std::thread::hardware_concurrency() >= 1);
  std::vector<std::thread> many;
  std::vector<int> out(20);
  for (int i = 0; i < 20; i++) many.emplace_back([i, &out] { out[(size_t)i] = i * i; });
  std::set<std::thread::id> ids;
  for (auto& t : many) ids.insert(t.get_id());
  CHECK_EQ(ids.size(), 20);
  for (auto& t : many) t.join();
  for (int i = 0; i < 20; i++) CHECK_EQ(out[(size_t)i], i * i);
  return check_passed("cxx_thread");
}

// SPDX-License-Identifier: Apache-2.0
