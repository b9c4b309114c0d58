// SPDX-License-Identifier: Apache-2.0
// What tells failures apart that an exit status does not: what the program said before it exited.
//
// A campaign's runs are silent, so that all failures with the same exit status look alike there.
// The command listens to a replay of each: the test that failed (GoogleTest's line for it), or the
// last lines on standard error. Numbers in them do not count: they differ from run to run.
//
// Reports show the last lines of its output (output_tail).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/findings/confirm.h"

namespace jostle::cli {

struct LastWords {
  std::string text = {};      // for the reader: one line
  std::string identity = {};  // equal for failures that are the same; empty: it said nothing
  std::string check = {};     // of a single test: what it checked, where, and what it got
};

// `is_test`: it is a single test that ran, so that its name says nothing new; then the first check
// that failed counts, as GoogleTest, Catch2 and doctest print it.
LastWords last_words(std::string_view output, std::string_view errors, bool is_test = false);

// The last lines of what the program wrote to standard output and error, escaped: of a test that
// failed its own, else those at the end. Empty when the failure says it all, and without what the
// C++ library says of an exception.
std::vector<std::string> output_tail(std::string_view output, const channel::Failure& end);
// The end of what was written to a file, without moving its position.
std::string written_to(int fd);

struct Heard {
  LastWords words = {};
  bool same_end = false;  // the replay ended as the finding did
  bool out_of_time = false;
};
// Replays the finding and listens.
Result<Heard> listen(const ConfirmSetup& setup, const Finding& finding);

}  // namespace jostle::cli
