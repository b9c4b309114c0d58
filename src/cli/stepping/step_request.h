// SPDX-License-Identifier: Apache-2.0
// What a person types into `jostle step`: one line, one command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/stepping/step_place.h"

namespace jostle::cli {

struct StepCommand {
  enum class Kind {
    wrong,     // `text` says why
    nothing,   // a comment
    repeat,    // an empty line
    thread,    // `thread` runs, `count` steps or until `place` (as typed: `text`)
    next,      // the same for whoever's turn it is without preemption
    strategy,  // `text` (empty: the usual one) decides `count` times
    threads,   // the view again
    locks,     // who holds what, who waits for what
    stack,     // of `thread`, or of the one that runs
    save,      // to the file `text`
    gdb,       // with `words` for it
    help,
    quit,
  };
  static constexpr uint64_t kToTheEnd = UINT64_MAX;
  static constexpr uint32_t kWhoRuns = UINT32_MAX;

  Kind kind = Kind::nothing;
  uint32_t thread = 0;
  uint64_t count = 1;
  bool until = false;
  Place place = {};
  std::string text = {};
  std::vector<std::string> words = {};
};

StepCommand parse_step_command(std::string_view line);

// The commands with a line each.
extern const char kStepHelp[];

}  // namespace jostle::cli
