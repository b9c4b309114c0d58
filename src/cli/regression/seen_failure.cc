// SPDX-License-Identifier: Apache-2.0
#include "src/cli/regression/seen_failure.h"

#include "src/cli/findings/last_words.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/identity.h"
#include "src/report/text/race_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::Outcome;

bool is_accepted_exit(const channel::Failure& end, const channel::Config& config) {
  const auto code = static_cast<uint32_t>(end.code) & 0xFF;
  return end.outcome == Outcome::exited &&
         (config.exit_codes_ok[code / 64] >> (code % 64) & 1) != 0;
}

bool is_suppressed(const channel::RunRecord& record, const Suppressions& suppressions,
                   report::Symbolizer& symbols) {
  const auto races = report::races(record);
  return record.end.outcome == Outcome::race && !races.empty() &&
         suppressions.match(races.back(), symbols);
}

// Where it failed, or the first thread that waits for ever.
report::Frame place_of(const channel::RunRecord& record, report::Symbolizer& symbols) {
  report::Frame frame = symbols.line_that_matters(record.end.stack);
  for (const channel::ThreadReport& thread : report::reports(record)) {
    if (frame.line != 0) break;
    if (thread.state != channel::ThreadState::finished) {
      frame = symbols.line_that_matters(thread.stack);
    }
  }
  return frame;
}

// Recordings of a single run have no identity: what the end itself says has to do.
bool ends_alike(const channel::Failure& then, const channel::Failure& now) {
  return then.outcome == now.outcome && then.code == now.code &&
         report::normal_text(report::bounded(then.message)) ==
             report::normal_text(report::bounded(now.message)) &&
         report::bounded(then.function) == report::bounded(now.function);
}

}  // namespace

std::optional<SeenFailure> failure_of(const HeardRun& run, const Recording& recording,
                                      const Suppressions& suppressions) {
  const channel::RunRecord& record = run.record();
  const channel::Failure& end = record.end;
  if (!report::is_failure(end, recording.config.any_exit_code_ok == 0)) return std::nullopt;
  if (is_accepted_exit(end, recording.config)) return std::nullopt;
  report::Symbolizer symbols(report::modules(*run.execution.channel));
  if (is_suppressed(record, suppressions, symbols)) return std::nullopt;
  report::Names names(record, symbols);
  const bool exited = end.outcome == Outcome::exited;
  const LastWords words =
      exited ? last_words(run.output, run.errors, !recording.program.test.empty()) : LastWords{};
  SeenFailure seen;
  const std::string text =
      exited ? report::exit_identity_text(end, recording.program.given, words.identity,
                                          !recording.program.test.empty())
             : report::identity_text(record, symbols, names, recording.program.given, "");
  seen.identity = report::identity(report::identity_in_test(recording.program.test, text));
  seen.is_same = recording.identity != 0 ? seen.identity == recording.identity
                                         : ends_alike(recording.failure, end);
  seen.text = report::summary(record, symbols, names);
  if (!words.text.empty()) seen.text += ": " + words.text;
  const report::Frame frame = place_of(record, symbols);
  seen.at = {frame.file, static_cast<int>(frame.line)};
  seen.end = end;
  return seen;
}

}  // namespace jostle::cli
