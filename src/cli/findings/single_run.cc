// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/single_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "src/cli/campaign/progress_display.h"
#include "src/cli/findings/race_list.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/target/execution.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::Outcome;

// Does the exit status leave the reader in the dark?
bool is_hidden(Outcome outcome) {
  return outcome == Outcome::deadlock || outcome == Outcome::livelock ||
         outcome == Outcome::step_limit || outcome == Outcome::misuse ||
         outcome == Outcome::timed_out || outcome == Outcome::heap_error;
}

// Ended from outside, by a user or a closed pipe: nothing to report.
bool is_ordinary_signal(const channel::Failure& end) {
  if (end.outcome != Outcome::signalled) return false;
  switch (end.code) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
    case SIGPIPE:
    case SIGKILL:
      return true;
    default:
      return false;
  }
}

}  // namespace

int conclude(const WatchedRun& run, report::ReportOptions format) {
  const channel::RunRecord& record = run.channel.record;
  const channel::Failure& end = record.end;
  if (end.outcome == Outcome::unsupported) {
    return fail({Exit::unsupported, report::summary(end)});
  }
  const std::string note_text(report::bounded(run.channel.status.note));
  if (!note_text.empty()) note(note_text);
  const bool worth_telling = report::is_failure(end, false) && !is_ordinary_signal(end);
  if (worth_telling && !run.interrupted) {
    report::Symbolizer symbols(report::modules(run.channel));
    format.colour = wants_colour(STDERR_FILENO);
    format.columns = terminal_columns(STDERR_FILENO);
    format.schedule = is_hidden(end.outcome);
    fmt::print(stderr, "\n{}", report::TextReport(record, symbols, std::move(format)).text());
  }
  return is_hidden(end.outcome) ? static_cast<int>(Exit::found) : shell_code(run.status);
}

std::vector<report::RaceGroup> show_races(const channel::Channel& channel,
                                          const Suppressions& suppressions) {
  std::vector<report::RaceGroup> races = races_of(channel, suppressions);
  if (!races.empty()) fmt::print(stderr, "\n{}", report::race_texts(races));
  return races;
}

MaybeError save_recording(Recording recording, const channel::Channel& channel,
                          const std::string& path, AtomicFile& file) {
  if (channel.record.log_overflow != 0) {
    return Error{Exit::output, "the run is too long to be saved: nothing was written"};
  }
  if (recording.input.bytes.size() > kMostInlineInput) {
    const std::string input_path = path + ".stdin";
    recording.input.file = report::base_name(input_path);
    Result<AtomicFile> input = AtomicFile::open(input_path);
    if (!input) return input.error();
    if (MaybeError error = input->commit(recording.input.bytes)) return error;
  }
  report::Symbolizer symbols(report::modules(channel));
  report::Names names(channel.record, symbols);
  return file.commit(replay_text(recording, symbols, names));
}

}  // namespace jostle::cli
