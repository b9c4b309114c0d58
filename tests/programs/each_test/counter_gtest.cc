// A GoogleTest program that knows nothing of Jostle, for `jostle fuzz --each-test`.
// build: -lgtest_main -lgtest
#include <gtest/gtest.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace {

// How often two threads have counted; an update is lost when one comes between the other's load and
// store.
int counted(bool safely) {
  std::atomic<int> n{0};
  const auto count = [&] { safely ? void(++n) : n.store(n.load() + 1); };
  std::thread one(count), two(count);
  one.join();
  two.join();
  return n;
}

// The same place for two tests.
void expect_both(int n) { assert(n == 2); }

TEST(Counter, AddsUp) { EXPECT_EQ(counted(true), 2); }
TEST(Counter, LosesOne) { EXPECT_EQ(counted(false), 2) << "one of them was lost"; }
TEST(Counter, DISABLED_IsBroken) { FAIL(); }
TEST(Helper, One) { expect_both(counted(false)); }
TEST(Helper, Two) { expect_both(counted(false)); }

class Safety : public testing::TestWithParam<bool> {};
TEST_P(Safety, Decides) { EXPECT_EQ(counted(GetParam()), 2); }
INSTANTIATE_TEST_SUITE_P(Both, Safety, testing::Bool());

template <typename T>
class Typed : public testing::Test {};
using Types = testing::Types<int, long>;
TYPED_TEST_SUITE(Typed, Types);
TYPED_TEST(Typed, AddsUp) { EXPECT_EQ(static_cast<TypeParam>(counted(true)), TypeParam{2}); }

// Where ctest runs it, and with which variables.
TEST(Surroundings, AreAsWanted) {
  const char* wanted = std::getenv("WANTED_DIRECTORY");
  if (wanted == nullptr) GTEST_SKIP();
  EXPECT_EQ(std::filesystem::current_path(), wanted);
  EXPECT_EQ(counted(false), 2);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
