// SPDX-License-Identifier: Apache-2.0
// doctest: CHECK and REQUIRE in the body of a check fail the run, in any thread. Include it in one
// file of the test program.
//
//     TEST_CASE("two writers") {
//       jostle::check([] { … CHECK(queue.size() == 2); });
//     }
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/doctest.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <doctest/doctest.h>

#include <jostle/jostle.hpp>
#include <string>

namespace jostle::doctest {

class run_failures : public ::doctest::IReporter {
 public:
  explicit run_failures(const ::doctest::ContextOptions&) {}

  void log_assert(const ::doctest::AssertData& data) override {
    if (!data.m_failed || !jostle_in_run()) return;
    const std::string text = std::string(data.m_expr) + " with values " + data.m_decomp.c_str();
    jostle_fail(text.c_str(), data.m_file, static_cast<unsigned>(data.m_line));
  }
  void log_message(const ::doctest::MessageData& data) override {
    if (data.m_severity == ::doctest::assertType::is_warn || !jostle_in_run()) return;
    jostle_fail(data.m_string.c_str(), data.m_file, static_cast<unsigned>(data.m_line));
  }

  void report_query(const ::doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const ::doctest::TestRunStats&) override {}
  void test_case_start(const ::doctest::TestCaseData&) override {}
  void test_case_reenter(const ::doctest::TestCaseData&) override {}
  void test_case_end(const ::doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const ::doctest::TestCaseException&) override {}
  void subcase_start(const ::doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const ::doctest::TestCaseData&) override {}
};

}  // namespace jostle::doctest

DOCTEST_REGISTER_LISTENER("jostle", 1, jostle::doctest::run_failures);
