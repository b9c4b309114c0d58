// SPDX-License-Identifier: Apache-2.0
// What a campaign shows while it runs: a block that renews itself on a terminal, a line every few
// seconds otherwise.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "src/cli/campaign/campaign_process.h"
#include "src/cli/support/terminal.h"

namespace jostle::cli {

struct ProgressView {
  Totals totals;
  std::chrono::nanoseconds elapsed{};
  std::map<std::string, int> failures = {};  // confirmed, by kind
  std::string shares = {};                   // of the strategies
};

class Progress {
 public:
  // `title`: of one campaign among several, in front of all else.
  explicit Progress(bool quiet, std::string title = {});
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the line if it is time for it.
  void show(const ProgressView& view);
  // Takes the line away, before something else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  std::string title_;
  bool terminal_;
  size_t visible_ = 0;  // lines
  Clock::time_point next_;
};

// The first line says it all; the others are for a terminal only. Where there is no room for
// everything, what is of the least interest is left out.
std::vector<std::string> progress_lines(const ProgressView& view, size_t columns);

}  // namespace jostle::cli
