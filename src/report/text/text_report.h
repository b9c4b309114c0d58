// SPDX-License-Identifier: Apache-2.0
// The report of a failure as plain text: what the terminal shows and what report.txt keeps.
//
// It is built from the record of a run (made with `record` on) and reads top to bottom: the
// headline, why it happens, who waits for whom when that is the failure, the interleaving, the
// stack, how to replay it. The terminal gets the lines that matter most, about a screen and a half
// of them whatever happened, and none that is wider than it is; the file gets more of them, all
// stacks, and the schedule as a list of segments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/report/explain/explain.h"
#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/source_lines.h"
#include "src/report/words/text.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct ReportOptions {
  uint64_t schedule_number = 0;  // of the campaign; 0: a single run
  std::string strategy = {};
  std::string test = {};          // that failed, escaped; empty: the program is no test
  std::string said = {};          // by the program before it failed; empty: nothing of interest
  std::string failed_check = {};  // what a test says of it, instead of its exit status
  std::vector<std::string> output = {};  // the last lines of what it wrote
  std::string replay_command = {};       // empty: no replay line
  std::string again_command = {};        // how to do the same run again without a file
  std::string report_file = {};          // where the whole report is; empty: no such line
  size_t longest_list = 24;              // threads, segments; the rest is counted
  bool complete = false;                 // stacks of every live thread, with all frames
  bool schedule = true;                  // list the segments
  Explanation why = {};                  // refers to the steps of this run
  // The schedule was made smaller: how many preemptions it had before.
  std::optional<uint64_t> preemptions_before = {};
  bool is_minimum = false;  // there is none with fewer
  size_t columns = kColumns;
  bool colour = false;
};

class TextReport {
 public:
  TextReport(const channel::RunRecord& record, Symbolizer& symbols, ReportOptions options)
      : record_(record), symbols_(symbols), names_(record, symbols), options_(std::move(options)) {}

  // One line (broken when there is no room): "DEADLOCK after 12 schedules (pos): …".
  std::string headline();
  // The whole report, headline first, ending in a newline.
  std::string text();

 private:
  std::string output_block() const;
  std::string threads_block();
  std::string values_block();
  std::string why_block();
  std::string interleaving_block(size_t lines);
  std::string race_block();
  std::string heap_block();
  std::string stacks_block();
  std::string schedule_block();
  std::string segment_line(size_t number, const channel::Segment& segment, bool is_last,
                           size_t title_width);
  std::string hints();
  std::string commands() const;

  const channel::RunRecord& record_;
  Symbolizer& symbols_;
  Names names_;
  ReportOptions options_;
  SourceLines sources_;
};

}  // namespace jostle::report
