// SPDX-License-Identifier: Apache-2.0
// `jostle fuzz`: many schedules, the failures among them, each confirmed before it is shown.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "src/base/hash.h"
#include "src/cli/campaign/corpus.h"
#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/campaign/fuzz_program.h"
#include "src/cli/campaign/interrupted_search.h"
#include "src/cli/campaign/join_campaign.h"
#include "src/cli/campaign/plot_data.h"
#include "src/cli/campaign/process_parts.h"
#include "src/cli/campaign/workers.h"
#include "src/cli/commands/commands.h"
#include "src/cli/findings/campaign_summary.h"
#include "src/cli/findings/campaign_warnings.h"
#include "src/cli/findings/finding_files.h"
#include "src/cli/findings/found_failures.h"
#include "src/cli/findings/fuzz_summary.h"
#include "src/cli/findings/proof.h"
#include "src/cli/options/strategy_start.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/regression/around.h"
#include "src/cli/regression/regressions.h"
#include "src/cli/suites/each_test.h"
#include "src/cli/target/fork_server_client.h"
#include "src/cli/target/lock_functions.h"
#include "src/cli/target/signals.h"
#include "src/report/formats/execution_graph.h"
#include "src/report/formats/graph_dot.h"
#include "src/report/formats/html_report.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr std::chrono::seconds kCorpusEvery{1};
// A unit is answered, and the next one is waited for.
constexpr std::chrono::milliseconds kUnitPoll{1};

// What standard input is, for those who have to have the same.
std::string name_of(const RecordedInput& input) {
  if (input.kind == RecordedInput::Kind::inherit) return "what each has";
  if (input.bytes.empty()) return "nothing";
  return fmt::format("{:016x}", fnv1a(input.bytes.data(), input.bytes.size()));
}

CampaignResult result_to_fill(const FuzzOptions& options, Target target) {
  CampaignResult result;
  result.target = std::move(target);
  result.arguments.assign(options.program.begin() + 1, options.program.end());
  result.config = options.config;
  result.config.points = options.points.points;
  result.workers = options.workers;
  result.stop_functions = options.points.functions;
  result.test = options.test;
  result.verifies = options.verifies;
  result.sync_only = options.sync_only;
  if (options.around) {
    result.around = {options.around->file, options.around->summary, options.around->is_failure,
                     options.around->not_followed};
  }
  return result;
}

// The course of one campaign after everything has been checked.
class Fuzz {
 public:
  Fuzz(FuzzOptions options, Target target, OutputFolder folder, StandardInput input,
       Installation installation, StrategyStart start, std::optional<FuzzInputs> inputs,
       std::optional<CampaignWorker> worker)
      : options_(std::move(options)),
        start_(std::move(start)),
        inputs_(std::move(inputs)),
        worker_(std::move(worker)),
        folder_(std::move(folder)),
        installation_(std::move(installation)),
        text_(installation_.fork_server || options_.json || options_.document.on_stdout() ? stderr
                                                                                          : stdout),
        progress_(options_.quiet, options_.test_title()),
        plot_(leaves_files() ? folder_.path() + "/" + kPlotFileName : "/dev/null"),
        result_(result_to_fill(options_, std::move(target))),
        failures_({options_, installation_, folder_, text_, progress_, result_, options_.budget},
                  std::move(input), inputs_ ? &*inputs_ : nullptr) {
    if (!options_.document.file.empty()) {
      options_.document.file =
          fmt::format("{}/{}", folder_.path(), document_name(options_.document.format));
    }
    if (worker_) {
      result_.campaign = worker_->folder().path();
      result_.worker = worker_->own().name();
      if (options_.verifies) {
        units_.emplace(worker_->folder().path(), worker_->folder().build(worker_->build()),
                       result_.worker, options_.lease);
      }
    }
  }
  Fuzz(const Fuzz&) = delete;
  Fuzz& operator=(const Fuzz&) = delete;

  int run(TestReport* report);

 private:
  bool is_test() const { return !options_.test.empty(); }
  void announce();
  void say_campaign() const;
  // The unit test that passes leaves nothing behind; a failure is kept in any case.
  bool leaves_files() const { return !installation_.fork_server || !options_.quiet; }
  void tell_check();
  std::string corpus_folder() const { return folder_.path() + "/corpus"; }
  // The findings of --regress. False: interrupted.
  bool try_known_findings();
  MaybeError search();
  void say_executor(const Workers& campaign);
  // With the other workers of a campaign that is a folder.
  void exchange(Workers& campaign, const ProgressView& view);
  CampaignWorker::Now what_to_tell(const ProgressView& view);
  // As one who explores units of a search that all workers share.
  MaybeError explore_units(Workers& campaign);
  MaybeError leave_units(Workers& campaign);
  SearchNotes notes_of_units(const Workers& campaign);
  void note_executor(const Workers& campaign);
  void leave_campaign(const ProgressView& view);
  bool any_found() const { return failures_.any_confirmed() || failures_.seen_elsewhere() != 0; }
  FoundFailures::Search what_is_known(const Workers& campaign, size_t waiting);
  void decide_exit(const MaybeError& error);
  void note_what_was_not_seen(const channel::Channel& channel, report::Symbolizer& symbols);
  MaybeError keep_what_was_learned(const Workers& campaign);
  MaybeError keep_search(const Hub& hub);
  MaybeError write_stats();
  MaybeError write_result(const MaybeError& error);
  MaybeError write_graph(const channel::Channel& channel);
  MaybeError write_executions(std::span<const channel::GraphNode> nodes, uint64_t left_out,
                              report::Symbolizer& symbols, AtomicFile& file);
  bool is_exit_ok(const channel::Failure& end) const;
  void write_fuzzer_stats(const ProgressView& view);

  FuzzOptions options_;
  StrategyStart start_;
  std::optional<FuzzInputs> inputs_;
  std::optional<CampaignWorker> worker_;          // none: this search is alone
  std::optional<UnitWorker> units_;               // of a search that is divided among workers
  bool doubts_rewinding_ = false;                 // of some of these units
  bool knows_libraries_ = false;                  // they are those of the other workers
  std::vector<report::KnownFinding> known_ = {};  // of --regress
  std::string ended_by_others_;       // why, as `stopped` in stats.json; empty: it was not
  std::set<uint64_t> told_failures_;  // the other workers know of them
  OutputFolder folder_;
  Installation installation_;
  FILE* text_;
  Progress progress_;
  PlotData plot_;
  SignalWatch signals_{true};
  CampaignResult result_;
  FoundFailures failures_;
  InterruptedSearch interrupted_search_{folder_.path(), options_, result_.target};
  bool interrupted_ = false;
  std::chrono::nanoseconds before_search_{};  // took what was done first
  SummaryNotes notes_;
  std::chrono::steady_clock::time_point next_stats_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(10);
  CorpusWriter corpus_{corpus_folder(), result_.target};
  std::chrono::steady_clock::time_point next_corpus_ =
      std::chrono::steady_clock::now() + kCorpusEvery;
};

// Once, as soon as it is known.
void Fuzz::say_executor(const Workers& campaign) {
  if (!result_.executor_note.empty()) return;
  result_.executor_note = campaign.executor_note();
  // Who runs tests has to know that they are slow, or not to be trusted.
  if (result_.executor_note.empty() || (options_.quiet && !installation_.fork_server)) return;
  progress_.clear();
  note(result_.executor_note);
}

bool Fuzz::try_known_findings() {
  if (options_.known_findings.empty()) return true;
  RegressionOptions how{.programs = {result_.target.path},
                        .for_all = true,
                        .checks = options_.config,
                        .volatile_atomic = options_.check_options.volatile_atomic,
                        .only_failures = options_.quiet};
  if (const uint64_t all = options_.config.max_nanoseconds; all != 0) {
    const uint64_t share = all / 2 / options_.known_findings.size();
    how.time = std::min(how.time, std::chrono::nanoseconds(static_cast<int64_t>(share)));
  }
  const Regressions regressions = try_regressions(
      options_.known_findings, how, options_.suppressions, installation_, signals_, text_);
  for (const Regression& regression : regressions.list) {
    if (regression.fails()) failures_.knows(regression.end, regression.seen_identity);
  }
  result_.regressions = regressions_json(regressions);
  known_ = known_findings(regressions);
  result_.regressions_failed =
      regressions.count(Verdict::still_there) + regressions.count(Verdict::another_failure);
  result_.regressions_not_followed = regressions.count(Verdict::not_followed);
  before_search_ = regressions.elapsed;
  return !regressions.interrupted;
}

MaybeError Fuzz::search() {
  LaunchPlan plan = options_.plan(result_.target);
  plan.in = failures_.input();
  plan.own_group = true;
  plan.prepare = [this](channel::Channel& channel) { start_.store(channel); };
  options_.points.apply(options_.config, plan);
  if (options_.verifies && plan.stops.empty()) plan.stops = lock_functions(plan, installation_);
  Result<SharedHub> hub = create_hub();
  if (!hub) return hub.error();
  if (options_.resume) {
    const CorpusLoad load = load_corpus(corpus_folder(), result_.target, **hub);
    if (const std::string text = describe(load); !text.empty() && !options_.quiet) note(text);
  }
  if (options_.verifies && options_.resume_asked) {
    if (MaybeError error = interrupted_search_.load(**hub)) return error;
    const std::chrono::duration<double> before(interrupted_search_.seconds_before());
    result_.elapsed_before = std::chrono::duration_cast<std::chrono::nanoseconds>(before);
  }
  if (worker_) {
    worker_->begin(**hub);
    if (units_ && !worker_->known_failures().empty()) ended_by_others_ = "finding";
    failures_.knows_elsewhere(worker_->known_failures());
  }
  if (units_) units_->begin(**hub);
  result_.started = std::chrono::system_clock::now();
  channel::Config config = options_.config;
  if (config.max_nanoseconds != 0) {
    const auto used = static_cast<uint64_t>(before_search_.count());
    config.max_nanoseconds -= std::min(used, config.max_nanoseconds - 1);
  }
  Result<Workers> campaign =
      Workers::start(plan, config, installation_, std::move(*hub), options_.workers);
  if (!campaign) return campaign.error();
  MaybeError failure;
  if (!ended_by_others_.empty()) campaign->stop();
  for (bool running = true; running && !failure;) {
    if (units_) failure = explore_units(*campaign);
    if (failure) break;
    Result<bool> stepped = campaign->step(signals_, units_ ? kUnitPoll : Campaign::kPoll);
    if (!stepped) failure = stepped.error();
    running = stepped && *stepped;
    std::deque<Finding> waiting;
    while (std::optional<Finding> finding = campaign->next_finding()) {
      if (failures_.is_wanted(*finding)) {
        waiting.push_back(std::move(*finding));
      } else {
        failure = failures_.take(*finding, what_is_known(*campaign, 1));
      }
    }
    for (; !waiting.empty() && !failure; waiting.pop_front()) {
      campaign->pause();  // the files of its runs are those of the replay
      failure = failures_.take(waiting.front(), what_is_known(*campaign, waiting.size()));
      campaign->go_on_running();
      if (failure) break;
      if (!options_.keep_going && any_found()) {
        campaign->stop();
        break;
      }
    }
    say_executor(*campaign);
    ProgressView view{campaign->totals(), campaign->elapsed()};
    if (units_) view.totals.exploration = units_->view().progress();
    for (const FailureEntry& failure_entry : result_.failures) ++view.failures[failure_entry.kind];
    view.shares = report::bounded(campaign->channel().status.shares);
    progress_.show(view);
    running ? plot_.add(view) : plot_.finish(view);
    if (worker_ && running) exchange(*campaign, view);
    if (std::chrono::steady_clock::now() >= next_stats_) write_fuzzer_stats(view);
    // A full disk is no reason to end the search; at the end it is said.
    if (std::chrono::steady_clock::now() >= next_corpus_) keep_what_was_learned(*campaign);
    const bool may_go_on = !any_found() && !options_.keep_going && !failure && !running;
    if (may_go_on && campaign->stop_reason() == channel::StopReason::finding) {
      Result<bool> again = campaign->go_on(!result_.unconfirmed.empty());
      if (!again) failure = again.error();
      running = again && *again;
    }
  }
  progress_.clear();
  const std::string last_shares(report::bounded(campaign->channel().status.shares));
  result_.totals = campaign->totals();
  result_.evenness = evenness_of(campaign->hub());
  result_.elapsed = campaign->elapsed();
  interrupted_ = campaign->interrupted();
  const bool stopped_by_us = !options_.keep_going && any_found();
  result_.stopped = interrupted_                ? "interrupted"
                    : stopped_by_us             ? "finding"
                    : !ended_by_others_.empty() ? ended_by_others_
                                                : std::string(name(campaign->stop_reason()));
  if (units_) {
    if (MaybeError error = leave_units(*campaign); error && !failure) failure = error;
  }
  notes_.note = campaign->note();
  result_.file_note = campaign->file_note();
  if (!result_.file_note.empty() && !options_.quiet) note(result_.file_note);
  notes_.classes = describe_classes(campaign->channel());
  report::Symbolizer symbols(report::modules(campaign->channel()));
  note_what_was_not_seen(campaign->channel(), symbols);
  if (MaybeError error = keep_what_was_learned(*campaign); error && !failure) failure = error;
  if (inputs_ && !failure && !options_.quiet) {
    note(fmt::format("inputs: {} given, {} new in {}", inputs_->given(), inputs_->saved(),
                     options_.inputs));
  }
  if (!failure && !options_.graph.empty()) failure = write_graph(campaign->channel());
  if (options_.graph.empty() && leaves_files()) {  // that of an earlier search is not of this one
    std::error_code ignored;
    std::filesystem::remove(folder_.path() + "/" + kExecutionsName, ignored);
  }
  if (MaybeError error = failures_.list_races(leaves_files()); error && !failure) {
    failure = error;
  }
  notes_.races = failures_.brief_races();
  result_.undone = failures_.undone(options_.with_more_time());
  if (MaybeError error = keep_search(campaign->hub()); error && !failure) failure = error;
  result_.lock_order = lock_order_warnings(campaign->hub(), symbols);
  result_.failures_elsewhere = failures_.seen_elsewhere();
  if (worker_) leave_campaign({result_.totals, result_.elapsed, {}, last_shares});
  return failure;
}

CampaignWorker::Now Fuzz::what_to_tell(const ProgressView& view) {
  const Totals& totals = view.totals;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(view.elapsed).count();
  CampaignWorker::Now now;
  now.progress.elapsed_ms = static_cast<uint64_t>(ms);
  now.progress.schedules = totals.schedules;
  now.progress.failing_schedules = totals.failing_schedules;
  now.progress.distinct = totals.distinct;
  for (const auto& [name, percent] : read_shares(view.shares)) {
    now.shares.push_back({name, static_cast<uint32_t>(std::max(percent, 0))});
  }
  const std::set<uint64_t> seen = failures_.seen();
  now.failures = seen.size();
  for (const uint64_t identity : seen) {
    if (told_failures_.insert(identity).second) worker_->saw_failure(identity);
  }
  if (inputs_) now.inputs = inputs_->take_news();
  return now;
}

void Fuzz::exchange(Workers& campaign, const ProgressView& view) {
  worker_->tick(what_to_tell(view));
  failures_.knows_elsewhere(worker_->known_failures());
  if (inputs_) inputs_->add_from_others(worker_->take_inputs());
  if (worker_->should_stop()) {
    ended_by_others_ = "stopped";
  } else if (!options_.keep_going && worker_->failures_since_start() > failures_.seen().size()) {
    ended_by_others_ = "finding";
  }
  if (!ended_by_others_.empty()) campaign.stop();
}

SearchNotes Fuzz::notes_of_units(const Workers& campaign) {
  result_.totals = campaign.totals();
  result_.unseen = unseen_modules(campaign.channel());
  SearchNotes notes = search_notes(result_);
  if (doubts_rewinding_) {
    notes.missing.push_back(
        fmt::format("units were explored before it showed that the program "
                    "needs a process per run: --executor=fork in another "
                    "folder ({})",
                    result_.executor_note));
  }
  return notes;
}

// Runs have a process each from now on; those of units that were answered before had none.
void Fuzz::note_executor(const Workers& campaign) {
  const bool was_known = !result_.executor_note.empty();
  say_executor(campaign);
  if (!was_known && !result_.executor_note.empty()) doubts_rewinding_ = units_->has_answered();
}

MaybeError Fuzz::explore_units(Workers& campaign) {
  if (campaign.channel().status.phase == channel::Phase::starting) return std::nullopt;
  if (!knows_libraries_) {
    const std::string build = worker_->folder().build(worker_->build());
    if (MaybeError error = same_libraries(build, library_list(campaign.channel()))) return error;
    knows_libraries_ = true;
  }
  note_executor(campaign);
  return units_->tick([&] { return notes_of_units(campaign); });
}

// What is said of the search is about all of it.
MaybeError Fuzz::leave_units(Workers& campaign) {
  note_executor(campaign);
  MaybeError error = units_->end([&] { return notes_of_units(campaign); });
  result_.failed_elsewhere = ended_by_others_ == "finding";
  result_.shared = units_->summary();
  result_.totals.exploration = result_.shared->explored;
  return error;
}

void Fuzz::leave_campaign(const ProgressView& view) {
  if (MaybeError error = worker_->end(what_to_tell(view), result_.stopped)) {
    note(fmt::format("{}: what was found last is not in the campaign", error->message));
  }
}

void Fuzz::note_what_was_not_seen(const channel::Channel& channel, report::Symbolizer& symbols) {
  if (const uintptr_t pc = result_.totals.exploration.gap_pc) {
    result_.gap_place = report::source(symbols.line_that_matters(pc));
  }
  result_.unseen = unseen_modules(channel);
}

// As the search goes on, so that who kills it loses little.
MaybeError Fuzz::keep_what_was_learned(const Workers& campaign) {
  next_corpus_ = std::chrono::steady_clock::now() + kCorpusEvery;
  MaybeError error;
  if (leaves_files() && !worker_) error = corpus_.save(campaign.hub(), campaign.channel());
  if (inputs_) {
    Result<size_t> saved = inputs_->save_found();
    if (!saved && !error) error = saved.error();
  }
  return error;
}

// What was interrupted can be gone on with; what came to its end cannot.
MaybeError Fuzz::keep_search(const Hub& hub) {
  if (!options_.verifies || !leaves_files()) return std::nullopt;
  if (result_.totals.exploration.finished || !result_.failures.empty()) {
    interrupted_search_.remove();
    return std::nullopt;
  }
  if (hub.search_left.size == 0) return std::nullopt;
  const std::chrono::duration<double> all = result_.elapsed + result_.elapsed_before;
  if (MaybeError error =
          interrupted_search_.save(hub, all.count(), result_.totals.exploration.explored)) {
    return error;
  }
  result_.undone.push_back(fmt::format("to go on: {}", options_.resumed()));
  return std::nullopt;
}

FoundFailures::Search Fuzz::what_is_known(const Workers& campaign, size_t waiting) {
  const Totals totals = campaign.totals();
  const auto runs = static_cast<int64_t>(std::max<uint64_t>(1, totals.schedules));
  return {totals.executor, campaign.hub(), campaign.channel(),
          campaign.elapsed() * options_.workers / runs, waiting};
}

// Now and then, and at the end. Whoever watches may miss one: no reason to end the campaign.
void Fuzz::write_fuzzer_stats(const ProgressView& view) {
  constexpr std::chrono::seconds kEvery{10};
  next_stats_ = std::chrono::steady_clock::now() + kEvery;
  result_.totals = view.totals;
  result_.elapsed = view.elapsed;
  if (!leaves_files()) return;
  if (Result<AtomicFile> file = AtomicFile::open(folder_.path() + "/fuzzer_stats")) {
    file->commit(fuzzer_stats_text(result_));
  }
}

MaybeError Fuzz::write_graph(const channel::Channel& channel) {
  Result<AtomicFile> file = AtomicFile::open(options_.graph);
  if (!file) return file.error();
  report::Symbolizer symbols(report::modules(channel));
  const uint32_t count = std::min<uint32_t>(channel.status.graph_count, channel::kMaxGraphNodes);
  const std::span<const channel::GraphNode> nodes(channel.graph, count);
  if (!result_.totals.exploration.is_reduced)
    return file->commit(report::graph_dot(nodes, symbols));
  return write_executions(nodes, channel.status.graph_left_out, symbols, *file);
}

// Drawings are for people: of many executions the first ones, and those that fail.
MaybeError Fuzz::write_executions(std::span<const channel::GraphNode> nodes, uint64_t left_out,
                                  report::Symbolizer& symbols, AtomicFile& file) {
  constexpr size_t kMostDrawn = 1'000;
  const auto is_failure = [this](channel::Outcome outcome, int code) {
    if (outcome == channel::Outcome::stopped) return false;
    channel::Failure end = {};
    end.outcome = outcome;
    end.code = code;
    return report::is_failure(end, true) && !is_exit_ok(end);
  };
  const report::ExecutionGraph all = report::execution_graph(nodes, left_out, is_failure, symbols);
  const report::ExecutionGraph drawn = report::thinned(all, kMostDrawn);
  if (leaves_files()) {
    Result<AtomicFile> kept = AtomicFile::open(folder_.path() + "/" + kExecutionsName);
    if (!kept) return kept.error();
    if (MaybeError error = kept->commit(report::json_text(report::execution_json(drawn)))) {
      return error;
    }
  }
  if (options_.graph.ends_with(".json")) {
    return file.commit(report::json_text(report::execution_json(all)));
  }
  if (options_.graph.ends_with(".html")) {
    return file.commit(report::html_executions("jostle: executions of " + result_.target.name,
                                               report::execution_json(drawn)));
  }
  return file.commit(report::execution_dot(drawn));
}

bool Fuzz::is_exit_ok(const channel::Failure& end) const {
  if (end.outcome != channel::Outcome::exited) return false;
  const channel::Config& config = options_.config;
  const auto code = static_cast<uint32_t>(end.code) % 256;
  return end.code == 0 || config.any_exit_code_ok ||
         (config.exit_codes_ok[code / 64] >> (code % 64) & 1) != 0;
}

void Fuzz::decide_exit(const MaybeError& error) {
  const uint64_t unsupported =
      result_.totals.outcomes[static_cast<size_t>(channel::Outcome::unsupported)];
  if (failures_.output_failed()) {
    result_.exit = Exit::output;
  } else if (!result_.failures.empty() || fails_on_lock_order(result_) ||
             result_.regressions_failed + result_.failures_elsewhere != 0 ||
             ended_by_others_ == "finding") {
    result_.exit = Exit::found;
  } else if (error) {
    result_.exit = error->code;
  } else if (interrupted_) {
    result_.exit = Exit::interrupted;
  } else if (!result_.unconfirmed.empty()) {
    result_.exit = Exit::not_reproduced;
  } else if (result_.stopped == "error" || result_.totals.stuck != 0 ||
             (unsupported != 0 && unsupported == result_.totals.schedules) ||
             all_rejected(result_) || nothing_tested(result_)) {
    result_.exit = Exit::unsupported;
  } else if (result_.regressions_not_followed != 0) {
    result_.exit = Exit::diverged;
  } else if (result_.verifies && proof_of(result_).kind == Proof::Kind::incomplete) {
    result_.exit = Exit::incomplete;
  }
}

// The answer to the program that waits in its check.
void Fuzz::tell_check() {
  std::error_code ignored;
  if (!leaves_files() && result_.failures.empty()) {  // only if they are empty
    std::filesystem::remove(folder_.path(), ignored);
    std::filesystem::remove(options_.output, ignored);
  }
  ForkServer::Outcome outcome;
  outcome.exit_code = static_cast<int>(result_.exit);
  outcome.schedules = result_.totals.schedules;
  outcome.inputs = result_.totals.inputs;
  outcome.rejected = result_.totals.rejected;
  outcome.scenarios = result_.totals.scenarios;
  outcome.not_judged = result_.totals.not_judged;
  outcome.executions = executions(result_.totals.exploration);
  outcome.seconds = std::chrono::duration<double>(result_.elapsed).count();
  outcome.report = failures_.check_report();
  if (result_.exit == Exit::incomplete) {
    outcome.report = proof_lines(result_, proof_of(result_)).front();
  }
  if (!result_.failures.empty() && !result_.failures.front().folder.empty()) {
    outcome.replay = result_.failures.front().folder + "/" + kReplayFileName;
  }
  installation_.fork_server->finish(outcome);
}

MaybeError Fuzz::write_stats() {
  const std::string text = stats_text(result_);
  if (options_.json && !is_test()) {  // of tests there is one for all
    fmt::print("{}", text);
    std::fflush(stdout);
  }
  if (!leaves_files()) return std::nullopt;
  Result<AtomicFile> file = AtomicFile::open(folder_.path() + "/stats.json");
  if (!file) return file.error();
  return file->commit(text);
}

MaybeError Fuzz::write_result(const MaybeError& error) {
  if (!options_.document.wanted()) return std::nullopt;
  report::RunResult result =
      begin_result(options_.verifies ? "verify" : "fuzz", result_.target.given, result_.arguments);
  result.schedules = result_.totals.schedules;
  result.seconds = std::chrono::duration<double>(result_.elapsed).count();
  result.exit_code = static_cast<int>(result_.exit);
  if (error) result.problem = report::escape(error->message);
  result.failures = failures_.take_models();
  result.warnings = campaign_warnings(result_);
  result.known = std::move(known_);
  for (const FailureEntry& entry : result_.unconfirmed) {
    result.unconfirmed.push_back({entry.kind, entry.headline, report::escape(entry.why_not)});
  }
  const std::string text = document_text(options_.document.format, result, stats_json(result_));
  if (MaybeError unwritten = write_document(options_.document, text)) return unwritten;
  if (!options_.document.on_stdout() && !options_.quiet) {
    fmt::print(text_, "{}\n", options_.document.file);
  }
  return std::nullopt;
}

void Fuzz::announce() {
  if (options_.quiet) return;
  if (is_test()) {
    if (!is_live_terminal(STDERR_FILENO)) note(options_.test_title());
    return;
  }
  const bool forks = options_.config.executor == channel::Executor::fork;
  const std::string points = options_.points.headline();
  const std::string workers =
      options_.workers == 1 ? "" : fmt::format(" · {} workers", options_.workers);
  const std::string file = options_.config_file.empty() ? "" : " · " + options_.config_file;
  const std::string place =
      worker_ ? fmt::format(" · campaign {}, {}", report::escape(result_.campaign), result_.worker)
              : "";
  const bool is_weak = options_.config.memory == channel::MemoryModel::c11;
  const std::string last = !options_.verifies ? fmt::format("seed {}", options_.config.seed)
                           : is_weak          ? "c11 memory"
                                              : "sequentially consistent";
  const char* memory = is_weak && !options_.verifies ? " · c11 memory" : "";
  note(fmt::format("{} · {} · {} executor · {}{}{}{}{} · {}{}{}", result_.target.name,
                   result_.target.instrumented ? "instrumented" : "synchronisation calls only",
                   forks ? "fork" : "snapshot", report::bounded(options_.config.strategy), workers,
                   points.empty() ? "" : " · ", points, memory, last, file, place));
}

// Where all of it is, and what others had to do with how it ended.
void Fuzz::say_campaign() const {
  const std::string& folder = result_.campaign;
  const size_t known = worker_->known_failures().size();
  if (ended_by_others_ == "finding" || result_.failures_elsewhere != 0) {
    note(fmt::format("{} found by other workers: {}", report::count(known, "failure"),
                     report::escape(worker_->findings())));
  } else if (ended_by_others_ == "stopped") {
    note("jostle stop has ended the campaign");
  }
  if (const uint64_t wrong = worker_->segments_left_out(); wrong != 0) {
    note(fmt::format("{} of other workers could not be read and {} left out",
                     report::count(wrong, "segment"), wrong == 1 ? "was" : "were"));
  }
  fmt::print(text_, "all workers: jostle status {}\n", shell_quote(folder));
  std::fflush(text_);
}

int Fuzz::run(TestReport* report) {
  announce();
  const bool searches = try_known_findings();
  const MaybeError error = searches ? search() : std::nullopt;
  if (!searches) {
    interrupted_ = true;
    result_.stopped = "interrupted";
  }
  decide_exit(error);
  write_fuzzer_stats({result_.totals, result_.elapsed});
  if (error) note(error->message);
  if (searches && (!error || result_.exit == Exit::found)) {
    print_summary(text_, result_, notes_, options_.quiet || is_test());
  }
  if (worker_ && !options_.quiet) say_campaign();
  MaybeError no_stats = write_stats();
  if (failures_.output_failed()) no_stats.reset();  // that was said
  if (report != nullptr) {
    if (no_stats || error) report->problem = (no_stats ? no_stats : error)->message;
    report->failures = failures_.take_models();
    report->campaign = std::move(result_);
    return no_stats ? fail(*no_stats) : static_cast<int>(report->campaign.exit);
  }
  if (no_stats) return fail(*no_stats);
  if (const MaybeError unwritten = write_result(error)) return fail(*unwritten);
  if (installation_.fork_server) tell_check();
  return static_cast<int>(result_.exit);
}

}  // namespace

int fuzz_program(FuzzOptions options, const std::string& folder_name, TestReport* report) {
  const auto fail = [report](const Error& error) {
    if (report != nullptr) report->problem = error.message;
    return cli::fail(error);
  };
  Result<Target> target = examine_target(options.program[0]);
  if (!target) return fail(target.error());
  // A program that waits in a check is linked with the library.
  Result<Installation> installation = find_installation(options.fork_server < 0);
  if (!installation) return fail(installation.error());
  const bool is_check = options.fork_server >= 0;
  if (is_check) installation->fork_server = std::make_shared<ForkServer>(options.fork_server);
  Result<PointSetting> points =
      find_points(options.point_options, options.plan(*target), *installation);
  if (!points) return fail(points.error());
  options.points = std::move(*points);
  Result<Suppressions> suppressions = Suppressions::load(options.check_options.suppressions);
  if (!suppressions) return fail(suppressions.error());
  options.suppressions = std::move(*suppressions);
  Result<StandardInput> input = options.around ? input_around(options) : prepare_input();
  if (!input) return fail(input.error());
  Result<StrategyStart> start =
      options.around ? start_around(options, *target, input->file.get(), *installation)
                     : load_strategy_start(options.config, options.schedule);
  if (!start) return fail(start.error());
  std::optional<FuzzInputs> inputs;
  if (!options.inputs.empty()) {
    Result<FuzzInputs> opened = FuzzInputs::open(options.inputs);
    if (!opened) return fail(opened.error());
    inputs.emplace(std::move(*opened));
    inputs->announce();
    options.program = with_input_path(std::move(options.program));
  }
  if (!options.regress.empty()) {
    Result<std::vector<std::string>> known = findings_of(options.regress, target->name);
    if (!known) return fail(known.error());
    options.known_findings = std::move(*known);
  }
  // Last, so that a slip leaves nothing behind.
  std::optional<CampaignWorker> worker;
  if (!options.campaign.empty()) {
    options.input_name = name_of(record_input(*input));
    Result<CampaignWorker> joined = join_campaign(options, *target);
    if (!joined) return fail(joined.error());
    worker.emplace(std::move(*joined));
    if (inputs) {
      if (MaybeError error = inputs->share(worker->folder().inputs())) return fail(*error);
    }
  }
  Result<OutputFolder> folder =
      worker ? OutputFolder::of_worker(worker->own().path(), worker->findings())
             : OutputFolder::open(options.output, is_check ? file_name_for(options.check)
                                                  : folder_name.empty() ? target->name
                                                                        : folder_name);
  if (!folder) return fail(folder.error());
  if (!target->instrumented && !options.sync_only && !is_check) {
    note(not_instrumented_note(*target));
  }
  return Fuzz(std::move(options), std::move(*target), std::move(*folder), std::move(*input),
              std::move(*installation), std::move(*start), std::move(inputs), std::move(worker))
      .run(report);
}

int fuzz_command(const std::vector<std::string>& words) {
  FuzzOptions options;
  if (const auto done = parse_fuzz_options(words, options)) return *done;
  return options.each_test ? fuzz_each_test(std::move(options)) : fuzz_program(std::move(options));
}

int verify_command(const std::vector<std::string>& words) {
  FuzzOptions options;
  options.verifies = true;
  if (const auto done = parse_fuzz_options(words, options)) return *done;
  if (options.around) {
    if (const MaybeError error = load_around(options)) return fail(*error);
  }
  return fuzz_program(std::move(options));
}

}  // namespace jostle::cli
