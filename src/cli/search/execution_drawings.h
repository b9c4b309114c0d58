// SPDX-License-Identifier: Apache-2.0
// `--graph FILE`: a drawing of what was explored, by the end of the file's name: JSON, a page, or
// GraphViz.
#pragma once

#include <string>

#include "src/cli/support/error.h"
#include "src/schedule/channel.h"

namespace jostle::cli {

struct Drawing {
  std::string file;
  std::string kept;  // what was drawn once more, for the report; empty: not wanted
  std::string program;
  const channel::Config& config;  // which exit codes are no failures
};

// `is_reduced`: the nodes are executions and not schedules.
MaybeError draw_executions(const Drawing& drawing, const channel::Channel& channel,
                           bool is_reduced);

}  // namespace jostle::cli
