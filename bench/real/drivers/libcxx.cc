// SPDX-License-Identifier: Apache-2.0
// What LLVM's C++ library does inside of libc++.so and libc++abi.so, one a run.
#include <barrier>
#include <cassert>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

static void barrier() {
  int phases = 0;
  std::barrier meet(2, [&]() noexcept { ++phases; });
  auto work = [&] {
    for (int i = 1; i <= 2; ++i) meet.arrive_and_wait(), assert(phases >= i);
  };
  std::thread other(work);
  work();
  other.join();
}
static void once() {
  static std::once_flag flag;
  int attempts = 0;
  auto get = [&] {
    try {
      std::call_once(flag, [&] { return ++attempts == 1 ? throw 1 : void(); });
      assert(attempts == 2);
    } catch (int) {
    }
  };
  std::thread other(get);
  get();
  other.join();
}
static void weak() {
  auto owner = std::make_shared<int>(3);
  std::thread user([seen = std::weak_ptr(owner)] {
    if (auto number = seen.lock()) assert(*number == 3);
  });
  owner.reset();
  user.join();
}
static void exception() {
  auto thrown = std::make_exception_ptr(std::out_of_range(std::string(40, 'x')));
  auto see = [](std::exception_ptr mine) {
    try {
      std::rethrow_exception(std::move(mine));
    } catch (const std::out_of_range& error) {
      assert(error.what() == std::string(40, 'x'));
    }
  };
  std::thread one(see, thrown), two(see, std::move(thrown));
  one.join(), two.join();
}
int main(int, char** argv) {
  const std::map<std::string, void (*)()> all = {
      {"barrier", barrier}, {"once", once}, {"weak", weak}, {"exception", exception}};
  all.at(argv[1])();
}
