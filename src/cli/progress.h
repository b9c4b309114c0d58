// What a campaign shows while it runs: one line that renews itself on a terminal, a line every few
// seconds otherwise.
#pragma once

#include <chrono>
#include <string>

#include "src/cli/campaign.h"

namespace jostle::cli {

// Colour and cursor movement are for terminals, and not wanted with NO_COLOR or TERM=dumb.
bool wants_colour(int fd);

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shows the line if it is time for it.
  void show(const Totals& totals, std::chrono::nanoseconds elapsed, size_t failures);
  // Takes the line away, before something else is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  bool terminal_;
  bool visible_ = false;
  Clock::time_point next_;
};

std::string progress_line(const Totals& totals, std::chrono::nanoseconds elapsed, size_t failures);

}  // namespace jostle::cli
