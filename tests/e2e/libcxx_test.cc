// SPDX-License-Identifier: Apache-2.0
// Programs with LLVM's C++ library, parts of which order threads inside of the library, where
// nothing is instrumented: what they order is no race, their orders are explored, and what they
// do not order still is a race.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kProgram[] = R"(
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
// Whoever lets go last frees the block that all have used.
static void weak() {
  auto owner = std::make_shared<int>(1);
  std::thread user([seen = std::weak_ptr<int>(owner)]() mutable {
    if (auto number = seen.lock()) assert(*number == 1);
    seen.reset();
  });
  owner.reset();
  user.join();
}
static std::once_flag flag;
static void once() {
  int made = 0, attempts = 0;
  auto get = [&] {
    try {
      std::call_once(flag, [&] { if (++attempts == 1) throw 1; ++made; });
      assert(made == 1);
    } catch (int) {}
  };
  std::thread other(get);
  get();
  other.join();
  std::call_once(flag, [] { assert(false); });
}
static void barrier() {
  int phases = 0;
  std::barrier both(2, [&]() noexcept { ++phases; });
  auto pass = [&](bool leaves) {
    both.arrive_and_wait();
    assert(phases == 1);
    leaves ? both.arrive_and_drop() : both.arrive_and_wait();
  };
  std::thread other(pass, true);
  pass(false);
  both.arrive_and_wait();  // alone now
  other.join();
  assert(phases == 3);
}
// The result is there when the thread has ended.
static void late() {
  std::promise<int> promise;
  auto result = promise.get_future();
  std::thread other([&] { promise.set_value_at_thread_exit(7); });
  assert(result.get() == 7);
  other.join();
}
// One thread has ended when the other reads: that orders nothing.
static void race() {
  static int word;
  static std::mutex lock;
  std::thread writer([] { word = 1; });
  std::thread reader([] { lock.lock(); lock.unlock(); assert(word < 2); });
  writer.join();
  reader.join();
}
int main(int, char** argv) {
  const struct { const char* name; void (*run)(); } all[] = {
      {"weak", weak}, {"once", once}, {"barrier", barrier}, {"late", late}, {"race", race}};
  for (const auto& one : all) if (!strcmp(one.name, argv[1])) one.run();
}
)";

class Libcxx : public testing::Test {
 protected:
  void SetUp() override {
    const std::string source = dir_.write("library.cc", kProgram);
    const Result built =
        jostle({"c++", "-std=c++20", "-stdlib=libc++", "-g", "-pthread", source, "-o", path_},
               {.env = {{"JOSTLE_CXX", JOSTLE_TEST_CLANGXX}}});
    ASSERT_TRUE(built.ok()) << built;
  }

  Result verify(const std::string& what) {
    return jostle({"verify", "-t", "20s", "-o", dir_.file("out"), path_, what});
  }

  const TempDir dir_;
  const std::string path_ = dir_.file("library");
};

TEST_F(Libcxx, WhatItOrdersIsNoRaceAndIsExplored) {
  for (const char* what : {"weak", "once"}) {
    const Result result = verify(what);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_THAT(result.out, HasSubstr("VERIFIED")) << result;
    EXPECT_THAT(result.out, Not(HasSubstr("data race"))) << result;
  }
  const Result barrier = jostle({"fuzz", "-n", "300", "-o", dir_.file("out"), path_, "barrier"});
  EXPECT_EQ(barrier.exit_code, 0) << barrier;
  EXPECT_THAT(barrier.out, Not(HasSubstr("data race"))) << barrier;
  // What happens inside the library when a thread ends is not seen, and said.
  const Result late = verify("late");
  EXPECT_THAT(late.out, HasSubstr("INCOMPLETE")) << late;
  EXPECT_THAT(late.out, Not(HasSubstr("data race"))) << late;

  const Result race = verify("race");
  EXPECT_THAT(race.out, HasSubstr("1 data race")) << race;
}

// LLVM's unwinder comes with the library.
TEST_F(Libcxx, InvariantsHold) {
  const std::string checked = std::string(JOSTLE_BUILD_DIR) + "/lib/checked";
  const bool is_release = std::filesystem::exists(checked);  // of others every library is checked
  const std::string library = is_release ? checked : std::string(JOSTLE_BUILD_DIR) + "/lib";
  for (const char* what : {"weak", "once", "barrier", "race"}) {
    const Result result = jostle({"fuzz", "-n", "30", "-o", dir_.file("out"), path_, what},
                                 {.env = {{"JOSTLE_LIB", library}}});
    EXPECT_EQ(result.exit_code, 0) << result;
  }
}

}  // namespace
}  // namespace jostle::test
