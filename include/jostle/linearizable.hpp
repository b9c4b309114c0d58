// SPDX-License-Identifier: Apache-2.0
// Tests of what operations return when threads call them side by side.
//
//     JOSTLE_LINEARIZABLE(Lifo) {
//       auto stack = share<TreiberStack<int>>();
//       operation("push", gen::range(0, 3), [=](int v) { stack->push(v); });
//       operation("pop", [=] { return stack->pop(); });
//     }
//
// Small scenarios are drawn (some operations first, then two or three threads with some each, then
// some more), and run under one schedule after another. A run is right when some order of its
// operations, one after the other, returns the same on the same object, and keeps to the order in
// which they returned and were called. Nothing else has to be written down. docs/linearizability.md
//
// A test of GoogleTest, Catch2 or doctest when the header of one comes before this; otherwise of a
// program whose main() is `return jostle::run_tests(argc, argv);`.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/linearizable.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <jostle/linearizable/run.hpp>
#include <jostle/linearizable/run_tests.hpp>
#include <jostle/property.hpp>
#include <memory>

// Tells the runtime that runs of this program have histories.
extern "C" __attribute__((weak, visibility("default"))) const char jostle_has_histories = 1;

// The class whose member the body is, and how the framework calls it.
#define JOSTLE_LINEARIZABLE_RUN_(test_name)                                  \
  namespace {                                                                \
  class JostleLinearizable_##test_name : public ::jostle::linearizable_run { \
   public:                                                                   \
    static std::unique_ptr<::jostle::linearizable_run> make() {              \
      return std::make_unique<JostleLinearizable_##test_name>();             \
    }                                                                        \
                                                                             \
   private:                                                                  \
    void define() override;                                                  \
  };                                                                         \
  }

// JOSTLE_LINEARIZABLE(Name) { … } or JOSTLE_LINEARIZABLE(Name, jostle::scenarios{…}) { … }
#if defined(GTEST_INCLUDE_GTEST_GTEST_H_) || defined(GOOGLETEST_INCLUDE_GTEST_GTEST_H_)
#include <jostle/gtest.hpp>
#define JOSTLE_LINEARIZABLE(test_name, ...)                                                      \
  JOSTLE_LINEARIZABLE_RUN_(test_name)                                                            \
  TEST(Linearizable, test_name) {                                                                \
    using namespace ::jostle;                                                                    \
    const scenarios wanted{__VA_ARGS__};                                                         \
    ::jostle::gtest::run_failures::install();                                                    \
    const auto how = ::jostle::gtest::options_of_test(wanted.how);                               \
    const location here = location::current();                                                   \
    ::jostle::gtest::report(                                                                     \
        explore_linearizable(JostleLinearizable_##test_name::make, wanted, how, here), __FILE__, \
        __LINE__);                                                                               \
  }                                                                                              \
  void JostleLinearizable_##test_name::define()
#elif defined(CATCH_VERSION_MAJOR) || defined(DOCTEST_VERSION)
#define JOSTLE_LINEARIZABLE(test_name, ...)                                                      \
  JOSTLE_LINEARIZABLE_RUN_(test_name)                                                            \
  TEST_CASE(#test_name) {                                                                        \
    using namespace ::jostle;                                                                    \
    const scenarios wanted{__VA_ARGS__};                                                         \
    options how = wanted.how;                                                                    \
    if (how.name.empty()) how.name = #test_name;                                                 \
    const result found = explore_linearizable(JostleLinearizable_##test_name::make, wanted, how, \
                                              location::current());                              \
    if (!found.passed()) throw failure(found);                                                   \
  }                                                                                              \
  void JostleLinearizable_##test_name::define()
#else
#define JOSTLE_LINEARIZABLE(test_name, ...)                                              \
  JOSTLE_LINEARIZABLE_RUN_(test_name)                                                    \
  namespace {                                                                            \
  [[maybe_unused]] const int JostleRegistered_##test_name =                              \
      ::jostle::detail::register_test({#test_name, JostleLinearizable_##test_name::make, \
                                       [] {                                              \
                                         using namespace ::jostle;                       \
                                         return scenarios{__VA_ARGS__};                  \
                                       },                                                \
                                       ::jostle::location::current()});                  \
  }                                                                                      \
  void JostleLinearizable_##test_name::define()
#endif
