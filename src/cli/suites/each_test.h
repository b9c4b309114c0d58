// SPDX-License-Identifier: Apache-2.0
// `jostle fuzz --each-test`: a campaign for each test of a test program, one after the other, and
// one result of all.
//
// A test that is run with others hides behind them: most of a run is theirs, the first failure ends
// it, and what is left of one test changes the next. By itself it is a short program.
#pragma once

#include <chrono>

#include "src/cli/campaign/fuzz_options.h"

namespace jostle::cli {

int fuzz_each_test(FuzzOptions options);

// The time of all tests: each gets the same, and what one does not need goes to those after it.
class SharedTime {
 public:
  using nanoseconds = std::chrono::nanoseconds;

  SharedTime(nanoseconds search, const Budget& all, size_t tests)
      : left_(search), all_(all), tests_(tests) {}

  // How long the next test may search.
  nanoseconds next() const { return tests_ == 0 ? left_ : left_ / static_cast<int64_t>(tests_); }
  // All of its time, with what confirming a failure takes.
  Budget budget() const;
  // It took so long; more than its share was not the others' time to search.
  void used(nanoseconds time);

 private:
  nanoseconds left_;
  const Budget& all_;
  size_t tests_;  // that are still to come
};

}  // namespace jostle::cli
