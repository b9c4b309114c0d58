// SPDX-License-Identifier: Apache-2.0
// GoogleTest: tests that are explored instead of run once.
//
//     JOSTLE_TEST(Queue, TwoWritersLoseNothing) {
//       Queue queue;
//       std::thread one([&] { queue.push(1); }), two([&] { queue.push(2); });
//       one.join();
//       two.join();
//       EXPECT_EQ(queue.size(), 2);
//     }
//
//     JOSTLE_PROPERTY(Bank, KeepsTheSum, (int amount, bool twice),
//                     gen::range(0, 100), gen::boolean()) { … }
//
// They are tests like others to --gtest_filter, ctest and XML reports. The body runs about a
// second, or as long as --jostle_fuzz_for=10m or JOSTLE_FUZZ_FOR=10m says. The first assertion that
// fails ends a run; the test then fails with the smallest schedule, and input, that show it.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/gtest.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <gtest/gtest.h>

#include <jostle/jostle.hpp>
#include <string>

namespace jostle::gtest {

// EXPECT_ and ASSERT_ in a run fail the run, wherever they are and in whichever thread.
class run_failures : public ::testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (!part.failed() || !jostle_in_run()) return;
    jostle_fail(part.message(), part.file_name(), static_cast<unsigned>(part.line_number()));
  }
  static void install() {
    static const bool installed = [] {
      ::testing::UnitTest::GetInstance()->listeners().Append(new run_failures);
      return true;
    }();
    (void)installed;
  }
};

// The options of the test that runs now.
inline options options_of_test(options how = {}) {
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test->test_suite_name()) + "." + test->name();
  if (how.name.empty()) how.name = name;
  how.replay_argument = "--gtest_filter=" + name + " --gtest_repeat=1";
  return how;
}

inline void report(const result& found, const char* file, unsigned line) {
  ::testing::Test::RecordProperty("jostle_schedules", std::to_string(found.schedules));
  if (found.passed()) return;
  ::testing::Test::RecordProperty("jostle_replay", found.replay);
  ADD_FAILURE_AT(file, static_cast<int>(line))
      << (found.failed() || found.incomplete()
              ? "\n" + found.report
              : "the check could not be done (the jostle command said why on standard "
                "error, exit code " +
                    std::to_string(found.exit_code) + ")");
}

template <typename Body>
void explore_test(Body&& body, const location& where, const options& how = {}) {
  run_failures::install();
  report(jostle::explore(body, options_of_test(how), where), where.file_name(), where.line());
}

template <typename ForAll, typename Body>
void explore_property(const ForAll& property, Body&& body, const location& where,
                      const options& how = {}) {
  run_failures::install();
  report(property.explore(body, options_of_test(how), where), where.file_name(), where.line());
}

}  // namespace jostle::gtest

#define JOSTLE_TEST(suite, name)                                                                \
  static void JostleBody_##suite##_##name();                                                    \
  TEST(suite, name) {                                                                           \
    ::jostle::gtest::explore_test(&JostleBody_##suite##_##name, ::jostle::location::current()); \
  }                                                                                             \
  static void JostleBody_##suite##_##name()

// Every execution once: the test passes only if all were explored and none fails.
#define JOSTLE_VERIFY(suite, name)                                                             \
  static void JostleBody_##suite##_##name();                                                   \
  TEST(suite, name) {                                                                          \
    ::jostle::gtest::explore_test(&JostleBody_##suite##_##name, ::jostle::location::current(), \
                                  {.verify = true});                                           \
  }                                                                                            \
  static void JostleBody_##suite##_##name()

// The same for a fixture: the body is a member of it. SetUp and TearDown are done once, around all
// runs; every run finds what SetUp left.
#define JOSTLE_TEST_F(fixture, name)                                                           \
  class JostleTest_##fixture##_##name : public fixture {                                       \
   public:                                                                                     \
    void TestBody() override {                                                                 \
      ::jostle::gtest::explore_test([this] { this->JostleBody(); },                            \
                                    ::jostle::location::current());                            \
    }                                                                                          \
                                                                                               \
   private:                                                                                    \
    void JostleBody();                                                                         \
  };                                                                                           \
  [[maybe_unused]] static ::testing::TestInfo* const JostleInfo_##fixture##_##name =           \
      ::testing::RegisterTest(#fixture, #name, nullptr, nullptr, __FILE__, __LINE__,           \
                              []() -> fixture* { return new JostleTest_##fixture##_##name; }); \
  void JostleTest_##fixture##_##name::JostleBody()

// JOSTLE_PROPERTY(Suite, Name, (parameters), generators…) { body }: the names of the parameters are
// what the values are called in a counterexample.
#define JOSTLE_PROPERTY(suite, name, parameters, ...)                                        \
  static void JostleBody_##suite##_##name parameters;                                        \
  TEST(suite, name) {                                                                        \
    using namespace ::jostle; /* gen::range */                                               \
    ::jostle::gtest::explore_property(::jostle::for_all(__VA_ARGS__).labels_of(#parameters), \
                                      &JostleBody_##suite##_##name,                          \
                                      ::jostle::location::current());                        \
  }                                                                                          \
  static void JostleBody_##suite##_##name parameters
