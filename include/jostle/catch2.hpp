// SPDX-License-Identifier: Apache-2.0
// Catch2: CHECK and REQUIRE in the body of a check fail the run. Include it in one file of the test
// program, in that with main if it is Catch2's version 2 (behind #define CATCH_CONFIG_MAIN).
//
//     TEST_CASE("two writers") {
//       jostle::check([] { … CHECK(queue.size() == 2); });
//     }
//
// Catch2's own bookkeeping is not made for several threads: assert in the thread of the body, or
// with jostle::require.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/catch2.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#if __has_include(<catch2/reporters/catch_reporter_event_listener.hpp>)
#include <catch2/catch_assertion_result.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#define JOSTLE_CATCH2_LISTENER Catch::EventListenerBase
#define JOSTLE_CATCH2_BASE Catch::EventListenerBase::EventListenerBase
#define JOSTLE_CATCH2_GO_ON
using jostle_catch2_answer = void;
#else
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
#define JOSTLE_CATCH2_LISTENER Catch::TestEventListenerBase
#define JOSTLE_CATCH2_BASE Catch::TestEventListenerBase::TestEventListenerBase
#define JOSTLE_CATCH2_GO_ON true
using jostle_catch2_answer = bool;
#endif

#include <jostle/jostle.hpp>
#include <string>

namespace jostle::catch2 {

class run_failures : public JOSTLE_CATCH2_LISTENER {
 public:
  using JOSTLE_CATCH2_BASE;

  jostle_catch2_answer assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (result.isOk() || !jostle_in_run()) return JOSTLE_CATCH2_GO_ON;
    const std::string text = result.hasExpression() ? result.getExpression() + " with expansion " +
                                                          result.getExpandedExpression()
                                                    : std::string(result.getMessage());
    const Catch::SourceLineInfo place = result.getSourceInfo();
    jostle_fail(text.c_str(), place.file, static_cast<unsigned>(place.line));
  }
};

CATCH_REGISTER_LISTENER(run_failures)

}  // namespace jostle::catch2
