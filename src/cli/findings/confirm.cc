// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/confirm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "src/cli/findings/last_words.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/support/values.h"
#include "src/report/formats/chrome_trace.h"
#include "src/report/formats/date.h"
#include "src/report/formats/failure_json.h"
#include "src/report/formats/html_report.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/model/identity.h"
#include "src/report/model/run_trace.h"
#include "src/report/text/race_text.h"
#include "src/report/text/text_report.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr size_t kLongestInFile = 10'000;

Recording make_recording(const ConfirmSetup& setup, const Finding& finding) {
  Recording recording{own_version(),
                      setup.program,
                      record_input(setup.input),
                      setup.config,
                      finding.schedule_number,
                      finding.signature,
                      finding.end,
                      finding.log};
  if (recording.input.bytes.size() > kMostInlineInput) recording.input.file = "stdin";
  return recording;
}

// The schedule as it was found. Its thread table is another run's, so that only what the table
// itself tells is noted.
Result<std::string> text_of_original(const Recording& recording, report::Symbolizer& symbols) {
  Result<SharedChannel> scratch = create_channel();
  if (!scratch) return scratch.error();
  store_schedule(recording.log, (*scratch)->record.schedule);
  report::Names names((*scratch)->record, symbols);
  return replay_text(recording, symbols, names);
}

MaybeError save_original(Draft& draft, const ConfirmSetup& setup, const Finding& original,
                         report::Symbolizer& symbols) {
  Result<std::string> text = text_of_original(make_recording(setup, original), symbols);
  return text ? draft.write(kOriginalFileName, *text) : MaybeError(text.error());
}

MaybeError save_passing(Draft& draft, const Recording& failing, const ScheduleLog& log,
                        report::Symbolizer& symbols) {
  Recording recording{failing.jostle_version, failing.program, failing.input, failing.config};
  recording.failure.outcome = channel::Outcome::exited;
  recording.log = log;
  Result<std::string> text = text_of_original(recording, symbols);
  return text ? draft.write(kPassingFileName, *text) : MaybeError(text.error());
}

// The replay file is what matters: it is written first, and kept whatever becomes of the pages.
struct Saved {
  MaybeError failed = {};      // nothing is there
  MaybeError incomplete = {};  // the first of the other files that is missing
  bool out_of_time = false;    // they are missing because there was no time to make them
};

Saved save(Draft& draft, const Draft::Published& destination, const ConfirmSetup& setup,
           const Recording& recording, const Finding* original,
           const std::optional<ScheduleLog>& passing, report::Symbolizer& symbols,
           report::Names& names, const std::string& report, const report::TraceModel& model) {
  Saved saved;
  saved.failed = draft.write(kReplayFileName, replay_text(recording, symbols, names));
  if (!saved.failed && !recording.input.file.empty()) {
    saved.failed = draft.write(recording.input.file, recording.input.bytes);
  }
  if (saved.failed) return saved;
  const auto keep = [&](MaybeError error) {
    if (error && !saved.incomplete) saved.incomplete = std::move(error);
  };
  keep(draft.write("report.txt", report));
  if (original != nullptr) keep(save_original(draft, setup, *original, symbols));
  if (passing) keep(save_passing(draft, recording, *passing, symbols));
  saved.out_of_time = setup.budget.over();
  if (!saved.out_of_time) {
    keep(draft.write("report.json", report::json_text(report::failure_json(model))));
    keep(draft.write("report.html", report::html_report(model)));
    keep(draft.write("trace.json", report::chrome_trace_text(model)));
  }
  saved.failed = draft.publish(destination);
  return saved;
}

std::string location_text(report::Symbolizer& symbols, channel::CodeLocation location) {
  const uintptr_t pc = symbols.address_of(location);
  if (pc != 0) return report::source(symbols.line_that_matters(pc));
  return location == 0 ? "unknown place" : symbols.where(location);
}

report::TraceModel make_model(const ConfirmSetup& setup, uint64_t identity,
                              const report::ReportOptions& options, uint64_t sequential,
                              const channel::RunRecord& record, report::Symbolizer& symbols,
                              report::Names& names) {
  report::TraceLimits limits;
  const report::RunTrace run_trace(record);
  for (const uint32_t step : options.why.steps) {
    limits.explained.insert(run_trace.entry_of(step));
  }
  report::TraceModel model = report::build_trace_model(record, symbols, names, limits);
  model.program = report::escape(setup.target.given);
  for (const std::string& argument : setup.program.arguments) {
    model.arguments.push_back(report::escape(argument));
  }
  model.test = options.test;
  if (!options.failed_check.empty()) model.summary = options.failed_check;
  model.strategy = report::escape(options.strategy);
  model.schedule_number = options.schedule_number;
  model.seed = setup.config.seed;
  model.found = report::now();
  model.signature = identity;
  model.replay_command = report::escape(options.replay_command);
  model.explanation = options.why.text();
  model.minimised_from = options.preemptions_before;
  model.stale_reads = record.stale_count;
  if (record.stale_count != 0) model.sequential_schedules = sequential;
  model.output_tail = options.output;
  return model;
}

}  // namespace

Result<std::string> keep_unconfirmed(const ConfirmSetup& setup, const Finding& finding,
                                     report::Symbolizer& symbols) {
  const std::string folder = setup.folder.path() + "/unconfirmed";
  mkdir(folder.c_str(), 0777);
  const std::string path =
      fmt::format("{}/{}-{:06x}.json", folder, report::kind(finding.end), finding.signature >> 40);
  Recording recording = make_recording(setup, finding);
  if (!recording.input.file.empty()) {
    recording.input.file = std::string(report::base_name(path)) + ".stdin";
    Result<AtomicFile> input = AtomicFile::open(path + ".stdin");
    if (!input) return input.error();
    if (MaybeError error = input->commit(recording.input.bytes)) return *error;
  }
  Result<std::string> text = text_of_original(recording, symbols);
  if (!text) return text.error();
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return file.error();
  if (MaybeError error = file->commit(*text)) return *error;
  return path;
}

std::string describe_divergence(const channel::Channel& channel) {
  report::Symbolizer symbols(report::modules(channel));
  report::Names names(channel.record, symbols);
  const channel::Divergence& at = channel.record.divergence;
  std::string text = fmt::format("at step {}", report::thousands(at.step));
  if (at.thread != kNoThread) {
    text += fmt::format(", thread {} ({})", names.path(at.thread), names.title(at.thread));
  }
  text += fmt::format(": the recording has {} ({})", report::op_name(at.expected_kind),
                      location_text(symbols, at.expected_location));
  if (at.actual_kind != OpKind::none) {
    text += fmt::format(", this run {} ({})", report::op_name(at.actual_kind),
                        location_text(symbols, at.actual_location));
  }
  const std::string what = report::escape(report::bounded(at.what));
  return what.empty() ? text : fmt::format("{}: {}", text, what);
}

namespace {

// How the program is started to follow a finding, and with what.
constexpr uint64_t kLeast = 10'000'000;  // nanoseconds of a run

struct ReplaySetup {
  Descriptor input;
  LaunchPlan plan;
  channel::Config config;
};

ReplaySetup prepare(const ConfirmSetup& setup, const Finding& finding, ReplayOutput output) {
  ReplaySetup replay{
      reopen(setup.input.file.get()), {setup.target.path, {setup.target.given}}, setup.config};
  LaunchPlan& plan = replay.plan;
  plan.arguments.insert(plan.arguments.end(), setup.program.arguments.begin(),
                        setup.program.arguments.end());
  plan.in = replay.input.get();
  plan.out = output.out;
  plan.err = output.err;
  plan.directory = setup.directory;
  plan.own_group = true;
  plan.budget = setup.budget;
  if (!output.is_all && !output.is_for_races) plan.stops = library_code(plan, setup.installation);
  prepare_replay(replay.config, finding.end);
  if (output.is_all) replay.config.record = 0;
  if (finding.end.outcome == channel::Outcome::timed_out && setup.budget.limited()) {
    // That it does not end, and where it is, shows in half of what is left, too.
    const auto half = static_cast<uint64_t>((setup.budget.left() / 2).count());
    replay.config.run_nanoseconds = std::min(replay.config.run_nanoseconds, std::max(half, kLeast));
  }
  return replay;
}

KnownAround around(const Minimized* minimized) {
  if (minimized == nullptr) return {};
  return {minimized->passing, minimized->sequential};
}

uint64_t identity_of(const ConfirmSetup& setup, const Finding& finding,
                     const channel::RunRecord& record, report::Symbolizer& symbols,
                     report::Names& names) {
  if (record.end.outcome == channel::Outcome::exited) return exit_identity(setup, finding);
  return report::identity(report::identity_in_test(
      setup.program.test,
      report::identity_text(record, symbols, names, setup.target.path, finding.said_identity)));
}

}  // namespace

uint64_t exit_identity(const ConfirmSetup& setup, const Finding& finding) {
  const std::string& test = setup.program.test;
  return report::identity(report::identity_in_test(
      test, report::exit_identity_text(finding.end, setup.target.path, finding.said_identity,
                                       !test.empty())));
}

Result<std::optional<uint64_t>> identify(const ConfirmSetup& setup, const Finding& finding) {
  Result<Execution> run = replay_finding(setup, finding);
  if (!run) return run.error();
  const channel::RunRecord& record = run->record();
  if (!report::same_failure(finding.end, record.end)) return std::optional<uint64_t>();
  report::Symbolizer symbols(report::modules(*run->channel));
  report::Names names(record, symbols);
  return std::optional(identity_of(setup, finding, record, symbols, names));
}

Result<Execution> replay_finding(const ConfirmSetup& setup, const Finding& finding,
                                 ReplayOutput output) {
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (output.out < 0) output.out = null.get();
  if (output.err < 0) output.err = null.get();
  const ReplaySetup replay = prepare(setup, finding, output);
  return execute(replay.plan, replay.config, &finding.log, setup.installation);
}

Result<Confirmation> confirm(const ConfirmSetup& setup, const Finding& finding,
                             const Screen& screen, const Minimized* minimized) {
  Result<Draft> draft = Draft::begin(setup.folder);
  if (!draft) return draft.error();
  Result<Descriptor> output = draft->create("output.txt");
  if (!output) return output.error();
  const ReplaySetup replay = prepare(setup, finding, {output->get(), output->get()});
  Result<Execution> run = execute(replay.plan, replay.config, &finding.log, setup.installation);
  if (!run) return run.error();
  const channel::RunRecord& record = run->record();
  Confirmation result;
  if (run->interrupted) {
    result.why_not = "interrupted before it was replayed";
    return result;
  }
  if (run->out_of_time) {
    result.out_of_time = true;
    result.why_not = "there was no time left to replay it";
    return result;
  }
  if (record.end.outcome == channel::Outcome::diverged) {
    result.why_not = "the replay diverged " + describe_divergence(*run->channel);
    return result;
  }
  if (!report::same_failure(finding.end, record.end)) {
    result.why_not = fmt::format("{}; the replay ended with {}", report::summary(finding.end),
                                 report::summary(record.end));
    return result;
  }
  report::Symbolizer symbols(report::modules(*run->channel));
  if (record.end.outcome == channel::Outcome::race && !report::races(record).empty() &&
      setup.suppressions.match(report::races(record).back(), symbols)) {
    result.suppressed = true;
    return result;
  }
  result.confirmed = true;
  report::Names names(record, symbols);
  result.identity = identity_of(setup, finding, record, symbols, names);
  const Draft::Published destination =
      draft->destination(report::kind(record.end), result.identity);
  report::ReportOptions options;
  options.schedule_number = finding.schedule_number;
  options.strategy = finding.strategy.empty() ? report::bounded(setup.config.strategy)
                                              : std::string_view(finding.strategy);
  options.replay_command = fmt::format("{}jostle replay {}", setup.variables,
                                       shell_quote(destination.path + "/" + kReplayFileName));
  if (!setup.target.instrumented) {
    options.replay_command += " --program " + shell_quote(setup.target.given);
  }
  options.test = report::escape(setup.program.test);
  options.colour = screen.colour;
  options.columns = screen.columns;
  options.said = finding.said;
  options.failed_check = finding.failed_check;
  options.output = output_tail(written_to(reopen(output->get()).get()), record.end);
  LaunchPlan others = replay.plan;
  others.budget = setup.budget.share(2);  // the rest is for the pages
  Diagnosis diagnosis =
      diagnose(*run, others, replay.config, around(minimized), setup.installation);
  options.why = std::move(diagnosis.why);
  if (options.why.empty() && minimized && minimized->passing.empty() &&
      preemptions_of(finding.log) == 0) {
    options.why.sentences.push_back(
        "It fails without a preemption. No schedule next to it is known to pass.");
  }
  Recording recording = make_recording(setup, finding);
  recording.identity = result.identity;
  recording.why = result.why = options.why.text();
  recording.why_steps = options.why.steps;
  if (options.why.passes_with) recording.passes_with = claim_text(*options.why.passes_with);
  if (diagnosis.passing) recording.passes_with = kPassingFileName;
  recording.values = report::shown_values(record);
  if (minimized) {
    options.preemptions_before = preemptions_of(minimized->original.log);
    options.is_minimum = minimized->is_minimum;
    recording.original = {*options.preemptions_before, minimized->original.log.segments.size(),
                          minimized->is_minimum, kOriginalFileName};
  }
  report::ReportOptions file_options = options;
  file_options.colour = false;
  file_options.columns = report::kColumns;
  file_options.complete = true;
  file_options.longest_list = kLongestInFile;
  const std::string file_report = report::TextReport(record, symbols, file_options).text();
  result.model = make_model(setup, result.identity, options, minimized ? minimized->sequential : 0,
                            record, symbols, names);
  const Saved saved =
      save(*draft, destination, setup, recording, minimized ? &minimized->original : nullptr,
           diagnosis.passing, symbols, names, file_report, result.model);
  result.not_saved = saved.failed;
  result.incomplete = saved.incomplete;
  result.no_page = saved.out_of_time && destination.is_new;
  if (result.not_saved) {
    options.replay_command.clear();
  } else if (!result.incomplete && !result.no_page) {
    options.report_file = destination.path + "/report.html";
  }
  report::TextReport terminal(record, symbols, options);
  result.headline = terminal.headline();
  result.report = terminal.text();
  result.folder = destination.path;
  result.is_new = destination.is_new;
  return result;
}

}  // namespace jostle::cli
