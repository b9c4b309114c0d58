// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/report/explain/history_text.h"
#include "src/report/explain/interleaving.h"
#include "src/report/explain/result_text.h"
#include "src/report/explain/spin_loop.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/run_callbacks.h"
#include "src/report/model/run_trace.h"
#include "src/report/text/columns.h"
#include "src/report/text/early_text.h"
#include "src/report/text/event_text.h"
#include "src/report/text/heap_text.h"
#include "src/report/text/race_text.h"
#include "src/report/text/stack_text.h"
#include "src/report/text/threads_block.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"
#include "src/report/words/verdict.h"
#include "src/schedule/starvation.h"

namespace jostle::report {
namespace {

using channel::Outcome;

// Lines of a failure on a terminal, about: the interleaving gets what the others leave.
constexpr size_t kMostLines = 60;
constexpr size_t kLeastInterleaving = 12;
constexpr size_t kMostInterleavingInFile = 2000;
constexpr size_t kMostLoops = 3;  // of threads that spin

bool shows_threads(Outcome outcome) {
  return outcome == Outcome::deadlock || outcome == Outcome::livelock ||
         outcome == Outcome::step_limit || outcome == Outcome::timed_out;
}

// Operations of a test that never return.
bool waits_for_ever(const channel::RunRecord& record) {
  return record.end.outcome == Outcome::history && record.end.line == 0;
}

// After a signal the first address of the stack is the faulting instruction itself.
bool is_exact(const channel::Failure& end) { return end.outcome == Outcome::signalled; }

// Is all of what was said ("one line / and the next") in these lines? What a program writes to
// standard output may come long after it: when it is at its end.
bool is_among(std::string_view said, const std::vector<std::string>& lines) {
  constexpr std::string_view kBetween = " / ";
  while (!said.empty()) {
    const size_t end = std::min(said.find(kBetween), said.size());
    const std::string_view part = said.substr(0, end);
    said.remove_prefix(std::min(end + kBetween.size(), said.size()));
    const auto has_part = [&](const std::string& line) { return line.find(part) != line.npos; };
    if (std::ranges::none_of(lines, has_part)) return false;
  }
  return true;
}

// Where a segment stopped: a line, or the library function it was in.
std::string stop_place(const Frame& frame) {
  return frame.line == 0 && !frame.function.empty() ? readable_function(frame.function)
                                                    : source(frame);
}

}  // namespace

std::string TextReport::headline() {
  std::string text(verdict(record_.end));
  const std::string happened =
      options_.failed_check.empty() ? summary(record_, symbols_, names_) : options_.failed_check;
  if (!options_.test.empty()) text += " in test " + options_.test;
  if (options_.schedule_number != 0) {
    text += fmt::format(" after {} ({})", count(options_.schedule_number, "schedule"),
                        options_.strategy);
  }
  text = wrap_words(fmt::format("{}: {}", text, happened), options_.columns, "  ");
  if (!options_.colour) return text;
  const size_t verdict_end = verdict(record_.end).size();
  return "\x1b[1;31m" + text.substr(0, verdict_end) + "\x1b[0m" + text.substr(verdict_end);
}

std::string TextReport::threads_block() {
  if (!shows_threads(record_.end.outcome) && !waits_for_ever(record_)) return {};
  std::string text =
      report::threads_block(record_, symbols_, names_, options_.longest_list, options_.columns);
  if (record_.end.outcome == Outcome::livelock && !channel::is_starvation(record_.end)) {
    const std::string loops = spin_loops_block(record_, symbols_, names_, options_.columns,
                                               options_.complete ? SIZE_MAX : kMostLoops);
    if (!loops.empty()) text += "\n" + loops;
  }
  return text;
}

// The last lines that the program wrote.
std::string TextReport::output_block() const {
  constexpr std::string_view kTitle = "  it said: ", kMargin = "    │ ";
  const size_t room = options_.columns - width(kMargin);
  const std::vector<std::string>& lines = options_.output;
  std::string text;
  if (!is_among(options_.said, lines)) text = paragraph(kTitle, options_.said, options_.columns);
  if (lines.size() == 1 && text.empty() && width(kTitle) + width(lines[0]) <= options_.columns) {
    return fmt::format("{}{}\n", kTitle, lines[0]);
  }
  if (!lines.empty()) text += "  the last lines of its output\n";
  for (const std::string& line : lines) {
    const std::string shown = options_.complete ? line : shorten(line, 2 * room);
    for (size_t at = 0; at == 0 || at < shown.size();) {
      const std::string_view piece = first_columns(std::string_view(shown).substr(at), room);
      text += fmt::format("{}{}\n", kMargin, piece);
      at += std::max<size_t>(piece.size(), 1);
    }
  }
  return text;
}

// The counterexample of a property.
std::string TextReport::values_block() {
  constexpr std::string_view kTitle = "  with   ", kIndent = "         ";
  constexpr size_t kMostValues = 12, kMostLinesOfOne = 4;
  const std::vector<std::string> values = shown_values(record_);
  std::string text;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!options_.complete && i == kMostValues) {
      return text + fmt::format("{}… and {} more\n", kIndent, values.size() - i);
    }
    const size_t room = options_.columns - kIndent.size();
    text += paragraph(text.empty() ? kTitle : kIndent,
                      options_.complete ? values[i] : shorten(values[i], kMostLinesOfOne * room),
                      options_.columns);
  }
  return text;
}

std::string TextReport::why_block() {
  return options_.why.empty() ? "" : paragraph("  why   ", options_.why.text(), options_.columns);
}

std::string TextReport::interleaving_block(size_t lines) {
  const RunTrace run_trace(record_);
  if (run_trace.empty() || record_.max_live_threads < 2) return {};
  // About one screen, with what else there is on it.
  constexpr size_t kOnTerminal = 18, kInFile = 400, kComfortable = 24;
  Interleaving all = make_interleaving(
      {run_trace, symbols_, names_}, options_.why, sources_,
      {.most = options_.complete ? kInFile : kOnTerminal, .essential = !options_.complete});
  const ColumnOptions look{.width = options_.columns,
                           .most_columns = std::max<size_t>(4, options_.columns / 25),
                           .colour = options_.colour};
  if (!options_.complete && all.rows.size() > kComfortable) all = sum_up(std::move(all));
  if (!options_.complete && all.rows.size() > lines) lines = std::min(lines, kComfortable);
  std::string text = columns_text(fold(all, lines), names_, look);
  // A row may take more than a line.
  if (line_count(text) > lines + lines / 4) {
    text = columns_text(fold(all, lines * lines / line_count(text)), names_, look);
  }
  if (text.empty()) return {};
  std::string title = "the interleaving, ";
  // With a smaller input it may need more of them than it did before.
  const uint64_t before = options_.preemptions_before.value_or(all.preemptions);
  if (before > all.preemptions) title += "minimised to ";
  title += count(all.preemptions, "preemption");
  if (before > all.preemptions) title += fmt::format(" (was {})", thousands(before));
  if (options_.is_minimum && all.preemptions != 0) title += "; there is none with fewer";
  return paragraph("  ", title, options_.columns) + text;
}

std::string TextReport::race_block() {
  if (record_.end.outcome != Outcome::race || record_.race_count == 0) return {};
  return report::race_block(races(record_).back(), symbols_, names_, !options_.complete);
}

std::string TextReport::heap_block() {
  if (record_.end.outcome != Outcome::heap_error) return {};
  return report::heap_block(record_, symbols_, names_, !options_.complete, options_.columns);
}

std::string TextReport::stacks_block() {
  const bool exact = is_exact(record_.end);
  const bool fold = !options_.complete;
  std::string text;
  // Results that fit no order belong to no place.
  const bool is_about_results =
      record_.end.outcome == Outcome::history || record_.end.outcome == Outcome::not_atomic;
  const bool has_place = !is_about_results || options_.complete;
  if (record_.end.stack.depth != 0 && has_place && record_.end.outcome != Outcome::deadlock &&
      record_.end.outcome != Outcome::race && record_.leak_count == 0) {
    const std::string lines =
        stack_lines(stack_frames(record_.end.stack, exact, symbols_), fold, options_.columns);
    if (!lines.empty()) {
      text += fmt::format("  stack of {}\n{}", names_.title(record_.end.thread), lines);
    }
  }
  if (!options_.complete) return text;
  for (const channel::ThreadReport& thread : reports(record_)) {
    if (thread.state == channel::ThreadState::finished || thread.stack.depth == 0) continue;
    if (!text.empty() && thread.thread == record_.end.thread) continue;
    text += fmt::format(
        "  stack of {} ({})\n{}", names_.title(thread.thread), names_.path(thread.thread),
        stack_lines(stack_frames(thread.stack, false, symbols_), false, options_.columns));
  }
  return text;
}

std::string TextReport::schedule_block() {
  const auto all = segments(record_.schedule);
  // The terminal has the interleaving instead.
  if (all.empty() || !options_.schedule || !options_.complete) return {};
  const auto preemptions =
      static_cast<uint64_t>(std::ranges::count_if(all, channel::is_preemption));
  std::string text = fmt::format("  the schedule: {}, {}\n", count(all.size(), "segment"),
                                 count(preemptions, "preemption"));
  // The end of the schedule is where the failure is.
  const size_t first = all.size() > options_.longest_list ? all.size() - options_.longest_list : 0;
  if (first != 0) text += fmt::format("      … {} before these\n", count(first, "segment"));
  size_t title_width = 4;
  for (const channel::Segment& segment : all.subspan(first)) {
    title_width = std::max(title_width, width(names_.title(segment.thread)));
  }
  title_width = std::min<size_t>(title_width, 22);
  for (size_t i = first; i < all.size(); ++i) {
    text += segment_line(i + 1, all[i], i + 1 == all.size(), title_width);
  }
  return text;
}

std::string TextReport::segment_line(size_t number, const channel::Segment& segment, bool is_last,
                                     size_t title_width) {
  const bool is_failing = is_last && segment.thread == record_.end.thread &&
                          is_failure(record_.end, true) && record_.end.outcome != Outcome::deadlock;
  const std::string_view how = is_failing ? "failed" : segment_end(segment);
  OpKind kind = segment.stopped_at;
  uintptr_t pc = symbols_.address_of(segment.location);
  // The run ended in the middle of the last segment: where, only the failure itself tells.
  if (is_last && kind == OpKind::none) {
    for (const channel::ThreadReport& thread : reports(record_)) {
      if (thread.thread != segment.thread) continue;
      kind = thread.pending.kind;
      pc = thread.pending.pc;
    }
  }
  const Frame frame = is_failing && record_.end.stack.depth != 0
                          ? symbols_.line_that_matters(record_.end.stack, is_exact(record_.end))
                      : pc != 0 ? symbols_.line_that_matters(pc)
                                : Frame{symbols_.where(segment.location), "", "", 0, false};
  const size_t columns = options_.columns;
  std::string line = fmt::format(
      "  {:>6}  {}  {:<9}  {:<14} {}", number,
      pad(shorten(names_.title(segment.thread), title_width), title_width), how,
      kind == OpKind::none ? "" : op_name(kind), pad(shorten(stop_place(frame), 24), 16));
  const std::string code = frame.line == 0 ? "" : sources_.text(frame.file, frame.line);
  if (!code.empty() && width(line) + 12 < columns) {
    line += "  " + shorten(code, columns - width(line) - 2);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string TextReport::hints() {
  std::string text;
  for (const Module& module : symbols_.modules()) {
    if (is_system_library(module.path) || is_own_library(module.path)) continue;
    if (!symbols_.has_debug_info(module)) {
      text += fmt::format("  {} has no debug information: compile with -g to see source lines\n",
                          escape(base_name(module.path)));
    }
    break;  // the program itself is first; a library without -g is the user's business
  }
  if (record_.log_overflow != 0) {
    text += "  the schedule was too long to be kept: this run cannot be replayed\n";
  }
  return text;
}

// Whole lines, whatever it takes: they are copied.
std::string TextReport::commands() const {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& value) {
    if (!value.empty()) text += fmt::format("  {:<8} {}\n", what, value);
  };
  add("again", options_.again_command);
  add("replay", options_.replay_command);
  add("report", options_.report_file);
  return text;
}

std::string TextReport::text() {
  constexpr size_t kCallbacksOnTerminal = 12, kCallbacksInFile = 1000;
  const auto fitting = [&](const std::string& block) { return fit(block, options_.columns); };
  const std::string callbacks = callbacks_block(
      record_, symbols_, names_, options_.complete ? kCallbacksInFile : kCallbacksOnTerminal,
      options_.columns);
  const std::vector<std::string> before = {
      output_block(),
      history_block(history_of(record_), options_.columns),
      result_block(result_of(record_, names_), options_.columns),
      values_block(),
      why_block(),
      early_block(record_, symbols_, names_, options_.columns),
      threads_block(),
      fitting(race_block()),
      fitting(callbacks)};
  const std::vector<std::string> after = {stacks_block(), fitting(heap_block()), schedule_block(),
                                          fitting(hints()), commands()};
  const std::string first = headline() + "\n";
  size_t others = line_count(first);
  for (const auto& blocks : {before, after}) {
    for (const std::string& block : blocks) others += block.empty() ? 0 : 1 + line_count(block);
  }
  const size_t left = kMostLines > others ? kMostLines - others : 0;
  const std::string interleaving = interleaving_block(
      options_.complete ? kMostInterleavingInFile : std::max(left, kLeastInterleaving));
  std::string text = first;
  const auto add = [&](const std::string& block) {
    if (!block.empty()) text += "\n" + block;
  };
  for (const std::string& block : before) add(block);
  add(interleaving);
  for (const std::string& block : after) add(block);
  return text;
}

}  // namespace jostle::report
