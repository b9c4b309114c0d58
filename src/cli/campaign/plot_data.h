// SPDX-License-Identifier: Apache-2.0
// plot_data: how a campaign went over time, a line of comma-separated numbers now and then, as
// other fuzzers write it. `jostle report` draws it.
//
// The rows get further apart as the campaign gets longer: some hundred for a day, enough to see the
// beginning of a second.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "src/cli/campaign/progress_display.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

inline constexpr char kPlotFileName[] = "plot_data";

class PlotData {
 public:
  // A new file; without it (no space, say) the campaign goes on all the same.
  explicit PlotData(const std::string& path);
  ~PlotData();
  PlotData(const PlotData&) = delete;
  PlotData& operator=(const PlotData&) = delete;

  // Writes a row if it is time for it.
  void add(const ProgressView& view);
  // The last one.
  void finish(const ProgressView& view);

 private:
  void write(const ProgressView& view);

  FILE* file_;
  std::chrono::nanoseconds next_{};
};

struct PlotRow {
  double time = 0;  // seconds
  uint64_t schedules = 0, distinct = 0, rf_pairs = 0, signatures = 0, corpus = 0;
  uint64_t failures = 0, failing_schedules = 0;
  std::vector<std::pair<std::string, int>> shares = {};  // of strategies, in per cent
};

// What can be read of the text; lines that are no rows are left out.
std::vector<PlotRow> read_plot_data(std::string_view text);
std::string plot_row_text(const PlotRow& row);

// "rff 40 %, pos 60 %" as the runtime writes them.
std::vector<std::pair<std::string, int>> read_shares(std::string_view text);

}  // namespace jostle::cli
