// SPDX-License-Identifier: Apache-2.0
// jostle::check and jostle::explore: a body under one schedule after another.
#pragma once

#if __cplusplus <= 201703L
#error "<jostle/check.hpp> needs C++20: compile with -std=c++20 (in CMake: cxx_std_20)"
#endif

#include <jostle/jostle.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <jostle/location.hpp>
#include <string>
#include <utility>

namespace jostle {

// Everything has a default that is right for a unit test.
struct options {
  std::string name = {};             // in files and reports; empty: file and line
  std::string strategy = {};         // as for `jostle fuzz --strategy`
  uint64_t schedules = 0;            // stop after so many; 0: no limit
  std::chrono::nanoseconds time{0};  // stop after this time; 0: one second
  uint64_t seed = 0;                 // 0: a fixed one, made of the name
  unsigned workers = 0;              // processes side by side
  std::string output = {};           // where failures are kept; empty: jostle-out
  std::string arguments = {};        // more options of `jostle fuzz`, between spaces
  std::string replay_argument = {};  // what leads the program to this check alone
  // Every execution once, as `jostle verify`: the check passes only if all were explored. Without
  // `time` or `schedules` it takes as long as that takes.
  bool verify = false;
  bool has_history = false;  // the body is a test of <jostle/linearizable.hpp>
};

// What came of a check.
class result {
 public:
  explicit result(jostle_result&& raw)
      : report(raw.report),
        replay(raw.replay),
        schedules(raw.schedules),
        rejected(raw.rejected),
        scenarios(raw.scenarios),
        not_judged(raw.not_judged),
        executions(raw.executions),
        seconds(raw.seconds),
        exit_code(raw.exit_code),
        status_(raw.status) {
    std::free(raw.report);
    std::free(raw.replay);
  }

  // Nothing was found; also true when another check is being replayed and this one was not done.
  bool passed() const { return status_ == JOSTLE_PASSED || status_ == JOSTLE_SKIPPED; }
  // The body fails under some schedule: `report` and `replay` say how.
  bool failed() const { return status_ == JOSTLE_FAILED; }
  // options::verify: not all executions were explored, none of the others failed; `report` says
  // why.
  bool incomplete() const { return exit_code == 20; }
  // Nothing was explored. What is wrong has been printed.
  bool broken() const { return status_ == JOSTLE_ERROR && !incomplete(); }
  explicit operator bool() const { return passed(); }

  std::string report;   // of the failure, as text
  std::string replay;   // the replay file
  uint64_t schedules;   // that were run
  uint64_t rejected;    // of them, those whose input was of no use
  uint64_t scenarios;   // <jostle/linearizable.hpp>: different ones
  uint64_t not_judged;  // … and runs with more orders than are tried
  uint64_t executions;  // options::verify: different ones
  double seconds;
  int exit_code;  // of the jostle command: docs/exit-codes.md

 private:
  jostle_status status_;
};

// Explores the body and says what came of it. The body is run again and again, each time from the
// same state, in processes forked off here; it must join its threads.
template <typename Body>
result explore(Body&& body, const options& how = {}, const location& where = location::current()) {
  auto call = [&body] { body(); };
  jostle_check check{};
  // Exceptions that leave the body end the run where they were thrown.
  check.body = [](void* argument) noexcept { (*static_cast<decltype(call)*>(argument))(); };
  check.argument = &call;
  check.name = how.name.c_str();
  check.file = where.file_name();
  check.line = where.line();
  check.strategy = how.strategy.c_str();
  check.schedules = how.schedules;
  check.nanoseconds = static_cast<uint64_t>(how.time.count());
  check.seed = how.seed;
  check.workers = how.workers;
  check.output = how.output.c_str();
  check.arguments = how.arguments.c_str();
  check.replay_argument = how.replay_argument.c_str();
  check.verify = how.verify;
  check.history = how.has_history;
  jostle_result raw;
  jostle_explore(&check, &raw);
  return result(std::move(raw));
}

// What check() throws: the test fails with the report as its message.
class failure : public std::exception {
 public:
  explicit failure(const result& what)
      : text_(what.failed() || what.incomplete() ? what.report
                                                 : "the check could not be done: see above") {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Explores the body. A failure is printed and thrown as jostle::failure: in a plain program that
// nobody catches it in, this is the end of it, with a message and an abort.
template <typename Body>
void check(Body&& body, const options& how = {}, const location& where = location::current()) {
  const result found = explore(std::forward<Body>(body), how, where);
  if (found.passed()) return;
  throw failure(found);
}

// Explores every execution of the body once, and fails unless all were explored and none fails.
template <typename Body>
void verify(Body&& body, options how = {}, const location& where = location::current()) {
  how.verify = true;
  check(std::forward<Body>(body), how, where);
}

// Fails the run at once, with this message, from any thread.
[[noreturn]] inline void fail(const std::string& message,
                              const location& where = location::current()) {
  jostle_fail(message.c_str(), where.file_name(), where.line());
}

// Like assert(), but there in every build.
inline void require(bool holds, const char* message = "jostle::require",
                    const location& where = location::current()) {
  if (!holds) fail(message, where);
}

}  // namespace jostle
