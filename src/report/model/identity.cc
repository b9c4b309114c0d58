// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/base/hash.h"
#include "src/base/normal_text.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/results/result_model.h"
#include "src/report/text/race_text.h"
#include "src/report/text/stack_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/source_lines.h"
#include "src/report/words/text.h"
#include "src/schedule/starvation.h"

namespace jostle::report {
namespace {

using channel::Outcome;

std::string function_of(const Frame& frame) {
  return frame.function.empty() ? frame.where : readable_function(frame.function);
}

class Teller {
 public:
  Teller(const channel::RunRecord& record, Symbolizer& symbols) : run_(record), symbols_(symbols) {}

  // The innermost of the program's own functions with the text of its line, and who called it.
  std::string came_by(const channel::Stack& stack, bool first_is_exact = false) {
    constexpr size_t kMostFunctions = 3;  // more would make one failure many
    std::vector<std::string> names;
    std::string text;
    for (const Frame& frame : own_frames(stack, first_is_exact)) {
      const std::string name = function_of(frame);
      if (!names.empty() && names.back() == name) continue;  // it calls itself
      text += names.empty() ? spot(frame) : " < " + name;
      names.push_back(name);
      if (names.size() == kMostFunctions) break;
    }
    return text;
  }

  // "transfer: from.balance -= amount; #1". Lines that look the same are counted.
  std::string spot(const Frame& frame) {
    const std::string text = normal_text(sources_.text(frame.file, frame.line));
    const std::string function = function_of(frame);
    if (text.empty()) {
      return frame.line == 0 ? frame.where : fmt::format("{}:{}", function, frame.line);
    }
    int number = 1;
    for (int line = frame.line - 1; line > 0 && !ends_function(frame.file, line); --line) {
      if (normal_text(sources_.text(frame.file, line)) == text) ++number;
    }
    return fmt::format("{}: {} #{}", function, text, number);
  }

  // What the threads of a deadlock wait at, without those that merely wait for one of them.
  std::string waiting() {
    const auto all = reports(run_);
    const bool has_cycle = std::any_of(
        all.begin(), all.end(), [](const channel::ThreadReport& r) { return r.in_cycle != 0; });
    std::set<std::string> places;
    for (const channel::ThreadReport& report : all) {
      if (report.state != channel::ThreadState::blocked) continue;
      const bool joins = report.pending.kind == OpKind::thread_join;
      if (has_cycle ? !report.in_cycle : joins && all.size() > 1) continue;
      places.insert(fmt::format("{} {}", op_name(report.pending.kind),
                                spot(symbols_.line_that_matters(report.stack))));
    }
    return fmt::format("{}", fmt::join(places, "; "));
  }

  // The functions in which threads go round; at which line of its loop each was does not matter.
  std::string spinning() {
    std::set<std::string> places;
    for (const channel::ThreadReport& report : reports(run_)) {
      if (report.state == channel::ThreadState::finished) continue;
      if (report.pending.kind == OpKind::thread_join) continue;
      places.insert(function_of(symbols_.line_that_matters(report.stack)));
    }
    return fmt::format("{}", fmt::join(places, "; "));
  }

  // What the threads that were not at their end had been started for: where a run is when its time
  // is up says nothing.
  std::string running(Names& names) {
    std::set<std::string> starts;
    for (const channel::ThreadReport& report : reports(run_)) {
      if (report.state == channel::ThreadState::finished) continue;
      starts.insert(report.thread == 0 ? "main" : names.start(report.thread));
    }
    return fmt::format("{}", fmt::join(starts, "; "));
  }

  std::string race(const channel::RaceRecord& race) {
    std::set<std::string> sides;
    for (const channel::RaceAccess* side : {&race.earlier, &race.later}) {
      sides.insert(spot(symbols_.line_that_matters(side->stack)));
    }
    return fmt::format("{}", fmt::join(sides, "; "));
  }

 private:
  std::vector<Frame> own_frames(const channel::Stack& stack, bool first_is_exact) {
    std::vector<Frame> frames = stack_frames(stack, first_is_exact, symbols_);
    const auto is_plumbing = [](const Frame& frame) { return frame.plumbing; };
    if (!std::all_of(frames.begin(), frames.end(), is_plumbing)) std::erase_if(frames, is_plumbing);
    return frames;
  }

  bool ends_function(const std::string& file, int line) {
    const std::vector<std::string>& lines = sources_.lines_of(file);
    const auto index = static_cast<size_t>(line) - 1;
    return index < lines.size() && lines[index].starts_with("}");
  }

  const channel::RunRecord& run_;
  Symbolizer& symbols_;
  SourceLines sources_;
};

}  // namespace

std::string normal_text(std::string_view text) {
  std::string result(text.size(), '\0');
  result.resize(normalise(text.data(), text.size(), result.data()));
  return result;
}

std::string exit_identity_text(const channel::Failure& end, std::string_view program,
                               std::string_view said, bool is_test) {
  // With nothing said a status alone would be everybody's.
  return fmt::format("exit {} | {}", is_test ? 0 : end.code,
                     said.empty() ? base_name(program) : said);
}

std::string identity_text(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                          std::string_view program, std::string_view said) {
  const channel::Failure& end = record.end;
  const std::string message = normal_text(bounded(end.message));
  Teller teller(record, symbols);
  const std::string kind_name(kind(end));
  switch (end.outcome) {
    case Outcome::exited:
      return exit_identity_text(end, program, said, false);
    case Outcome::deadlock:
      return fmt::format("{} | {}", kind_name, teller.waiting());
    case Outcome::livelock:
      if (channel::is_starvation(end)) break;
      return fmt::format("{} | {}", kind_name, teller.spinning());
    case Outcome::step_limit:
    case Outcome::timed_out:
      return fmt::format("{} | {} | {}", kind_name, base_name(program), teller.running(names));
    case Outcome::not_atomic: {
      std::string text = fmt::format("{} | {}", kind_name, message);
      for (const ResultModel::Row& row : result_of(record, names).rows) text += " | " + row.what;
      return text;
    }
    case Outcome::race:
      if (record.race_count == 0) break;
      return fmt::format("{} | {}", kind_name, teller.race(races(record).back()));
    default:
      break;
  }
  const bool has_signal = end.outcome == Outcome::signalled;
  return fmt::format("{} | {} | {}", kind_name, has_signal ? signal_name(end.code) : message,
                     teller.came_by(end.stack, has_signal));
}

std::string identity_in_test(std::string_view test, std::string text) {
  return test.empty() ? text : fmt::format("test {} | {}", test, text);
}

uint64_t identity(std::string_view text) {
  const uint64_t hash = combine(1, fnv1a(text.data(), text.size()));
  return hash != 0 ? hash : 1;
}

}  // namespace jostle::report
