// SPDX-License-Identifier: Apache-2.0
#include "src/cli/search/fuzz_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>

#include "src/cli/campaign/process_parts.h"
#include "src/cli/findings/campaign_summary.h"
#include "src/cli/findings/campaign_warnings.h"
#include "src/cli/findings/proof.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/regression/regressions.h"
#include "src/cli/search/execution_drawings.h"
#include "src/cli/target/fork_server_client.h"
#include "src/cli/target/lock_functions.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr std::chrono::seconds kCorpusEvery{1};
constexpr std::chrono::seconds kStatsEvery{10};
// A unit is answered, and the next one is waited for.
constexpr std::chrono::milliseconds kUnitPoll{1};

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

}  // namespace

FuzzSearch::FuzzSearch(Parts parts)
    : options_(std::move(parts.options)),
      start_(std::move(parts.start)),
      inputs_(std::move(parts.inputs)),
      folder_(std::move(parts.folder)),
      installation_(std::move(parts.installation)),
      text_(installation_.fork_server || options_.json || options_.document.on_stdout() ? stderr
                                                                                        : stdout),
      progress_(options_.quiet, options_.test_title()),
      plot_(leaves_files() ? folder_.path() + "/" + kPlotFileName : "/dev/null"),
      result_(result_to_fill(options_, std::move(parts.target))),
      failures_({options_, installation_, folder_, text_, progress_, result_, options_.budget},
                std::move(parts.input), inputs_ ? &*inputs_ : nullptr),
      next_stats_(Clock::now() + kStatsEvery),
      next_corpus_(Clock::now() + kCorpusEvery) {
  if (!options_.document.file.empty()) {
    options_.document.file =
        fmt::format("{}/{}", folder_.path(), document_name(options_.document.format));
  }
  if (parts.worker) {
    member_.emplace(std::move(*parts.worker), options_, result_, failures_,
                    inputs_ ? &*inputs_ : nullptr);
  }
}

void FuzzSearch::announce() {
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
      member_ ? fmt::format(" · campaign {}, {}", report::escape(result_.campaign), result_.worker)
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

bool FuzzSearch::try_known_findings() {
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

// ---- the search ---------------------------------------------------------------------------------

// Once, as soon as it is known.
void FuzzSearch::say_executor(const Workers& campaign) {
  if (!result_.executor_note.empty()) return;
  result_.executor_note = campaign.executor_note();
  // Who runs tests has to know that they are slow, or not to be trusted.
  if (result_.executor_note.empty() || (options_.quiet && !installation_.fork_server)) return;
  progress_.clear();
  note(result_.executor_note);
}

FoundFailures::Search FuzzSearch::what_is_known(const Workers& campaign, size_t waiting) {
  const Totals totals = campaign.totals();
  const auto runs = static_cast<int64_t>(std::max<uint64_t>(1, totals.schedules));
  return {totals.executor, campaign.hub(), campaign.channel(),
          campaign.elapsed() * options_.workers / runs, waiting};
}

// What earlier searches and other workers know.
MaybeError FuzzSearch::prepare(Hub& hub) {
  if (options_.resume) {
    const CorpusLoad load = load_corpus(corpus_folder(), result_.target, hub);
    if (const std::string text = describe(load); !text.empty() && !options_.quiet) note(text);
  }
  if (options_.verifies && options_.resume_asked) {
    if (MaybeError error = interrupted_search_.load(hub)) return error;
    const std::chrono::duration<double> before(interrupted_search_.seconds_before());
    result_.elapsed_before = std::chrono::duration_cast<std::chrono::nanoseconds>(before);
  }
  if (member_) member_->begin(hub);
  return std::nullopt;
}

Result<Workers> FuzzSearch::start_workers() {
  LaunchPlan plan = options_.plan(result_.target);
  plan.in = failures_.input();
  plan.own_group = true;
  plan.prepare = [this](channel::Channel& channel) { start_.store(channel); };
  options_.points.apply(options_.config, plan);
  if (options_.verifies && plan.stops.empty()) plan.stops = lock_functions(plan, installation_);
  Result<SharedHub> hub = create_hub();
  if (!hub) return hub.error();
  if (MaybeError error = prepare(**hub)) return *error;
  result_.started = std::chrono::system_clock::now();
  channel::Config config = options_.config;
  if (config.max_nanoseconds != 0) {
    const auto used = static_cast<uint64_t>(before_search_.count());
    config.max_nanoseconds -= std::min(used, config.max_nanoseconds - 1);
  }
  return Workers::start(plan, config, installation_, std::move(*hub), options_.workers);
}

MaybeError FuzzSearch::take_findings(Workers& campaign) {
  std::deque<Finding> waiting;
  while (std::optional<Finding> finding = campaign.next_finding()) {
    if (failures_.is_wanted(*finding)) {
      waiting.push_back(std::move(*finding));
    } else if (MaybeError error = failures_.take(*finding, what_is_known(campaign, 1))) {
      return error;
    }
  }
  for (; !waiting.empty(); waiting.pop_front()) {
    campaign.pause();  // the files of its runs are those of the replay
    MaybeError error = failures_.take(waiting.front(), what_is_known(campaign, waiting.size()));
    campaign.go_on_running();
    if (error) return error;
    if (Clock::now() >= next_corpus_) keep_what_was_learned(campaign);
    if (!options_.keep_going && any_found()) {
      campaign.stop();
      break;
    }
  }
  return std::nullopt;
}

// To the terminal, to files, and to other workers.
void FuzzSearch::show_progress(Workers& campaign, bool running) {
  ProgressView view{campaign.totals(), campaign.elapsed()};
  if (explores_units()) view.totals.exploration = member_->progress_of_all();
  for (const FailureEntry& entry : result_.failures) ++view.failures[entry.kind];
  view.shares = report::bounded(campaign.channel().status.shares);
  progress_.show(view);
  running ? plot_.add(view) : plot_.finish(view);
  if (member_ && running) member_->exchange(campaign, view);
  if (Clock::now() >= next_stats_) write_fuzzer_stats(view);
  // A full disk is no reason to end the search; at the end it is said.
  if (Clock::now() >= next_corpus_) keep_what_was_learned(campaign);
}

MaybeError FuzzSearch::run_to_end(Workers& campaign) {
  if (member_ && !member_->ended_by_others().empty()) campaign.stop();
  for (bool running = true; running;) {
    if (explores_units()) {
      say_executor(campaign);
      if (MaybeError error = member_->explore_units(campaign)) return error;
    }
    Result<bool> stepped = campaign.step(signals_, explores_units() ? kUnitPoll : Campaign::kPoll);
    running = stepped && *stepped;
    MaybeError error = take_findings(campaign);
    if (!stepped) error = stepped.error();
    say_executor(campaign);
    show_progress(campaign, running);
    if (error) return error;
    const bool may_go_on = !any_found() && !options_.keep_going && !running;
    if (may_go_on && campaign.stop_reason() == channel::StopReason::finding) {
      Result<bool> again = campaign.go_on(!result_.unconfirmed.empty());
      if (!again) return again.error();
      running = *again;
    }
  }
  return std::nullopt;
}

MaybeError FuzzSearch::conclude(Workers& campaign, MaybeError failure) {
  const auto also = [&failure](MaybeError error) {
    if (error && !failure) failure = std::move(error);
  };
  const std::string last_shares(report::bounded(campaign.channel().status.shares));
  result_.totals = campaign.totals();
  result_.evenness = evenness_of(campaign.hub());
  result_.elapsed = campaign.elapsed();
  interrupted_ = campaign.interrupted();
  const bool stopped_by_us = !options_.keep_going && any_found();
  const bool stopped_by_others = member_ && !member_->ended_by_others().empty();
  result_.stopped = interrupted_        ? "interrupted"
                    : stopped_by_us     ? "finding"
                    : stopped_by_others ? member_->ended_by_others()
                                        : std::string(name(campaign.stop_reason()));
  if (explores_units()) {
    say_executor(campaign);
    also(member_->leave_units(campaign));
  }
  notes_.note = campaign.note();
  result_.file_note = campaign.file_note();
  if (!result_.file_note.empty() && !options_.quiet) note(result_.file_note);
  notes_.classes = describe_classes(campaign.channel());
  report::Symbolizer symbols(report::modules(campaign.channel()));
  if (const uintptr_t pc = result_.totals.exploration.gap_pc) {
    result_.gap_place = report::source(symbols.line_that_matters(pc));
  }
  result_.unseen = unseen_modules(campaign.channel());
  also(keep_what_was_learned(campaign));
  if (inputs_ && !failure && !options_.quiet) {
    note(fmt::format("inputs: {} given, {} new in {}", inputs_->given(), inputs_->saved(),
                     options_.inputs));
  }
  if (!failure || options_.graph.empty()) also(draw(campaign.channel()));
  also(failures_.list_races(leaves_files()));
  notes_.races = failures_.brief_races();
  result_.undone = failures_.undone(options_.with_more_time());
  also(keep_search(campaign.hub()));
  // Where all executions were explored no other may deadlock.
  if (proof_of(result_).kind != Proof::Kind::verified) {
    result_.lock_order = lock_order_warnings(campaign.hub(), symbols);
  }
  std::erase_if(result_.lock_order, [&](const LockOrderWarning& warning) {
    return std::ranges::any_of(result_.failures, [&](const FailureEntry& failure) {
      return is_found(warning, failure.deadlock);
    });
  });
  result_.failures_elsewhere = failures_.seen_elsewhere();
  if (member_) member_->leave({result_.totals, result_.elapsed, {}, last_shares});
  return failure;
}

MaybeError FuzzSearch::search() {
  Result<Workers> campaign = start_workers();
  if (!campaign) return campaign.error();
  MaybeError failure = run_to_end(*campaign);
  progress_.clear();
  return conclude(*campaign, std::move(failure));
}

// ---- what is left of it -------------------------------------------------------------------------

// As the search goes on, so that who kills it loses little.
MaybeError FuzzSearch::keep_what_was_learned(const Workers& campaign) {
  next_corpus_ = Clock::now() + kCorpusEvery;
  MaybeError error;
  if (leaves_files() && !member_) error = corpus_.save(campaign.hub(), campaign.channel());
  if (inputs_) {
    Result<size_t> saved = inputs_->save_found();
    if (!saved && !error) error = saved.error();
  }
  return error;
}

// What was interrupted can be gone on with; what came to its end cannot.
MaybeError FuzzSearch::keep_search(const Hub& hub) {
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

MaybeError FuzzSearch::draw(const channel::Channel& channel) {
  const std::string kept = leaves_files() ? folder_.path() + "/" + kExecutionsName : "";
  if (!options_.graph.empty()) {
    return draw_executions({options_.graph, kept, result_.target.name, options_.config}, channel,
                           result_.totals.exploration.is_reduced);
  }
  if (!kept.empty()) {  // that of an earlier search is not of this one
    std::error_code ignored;
    std::filesystem::remove(kept, ignored);
  }
  return std::nullopt;
}

// Now and then, and at the end. Whoever watches may miss one: no reason to end the campaign.
void FuzzSearch::write_fuzzer_stats(const ProgressView& view) {
  next_stats_ = Clock::now() + kStatsEvery;
  result_.totals = view.totals;
  result_.elapsed = view.elapsed;
  if (!leaves_files()) return;
  if (Result<AtomicFile> file = AtomicFile::open(folder_.path() + "/fuzzer_stats")) {
    file->commit(fuzzer_stats_text(result_));
  }
}

MaybeError FuzzSearch::write_stats() {
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

MaybeError FuzzSearch::write_result(const MaybeError& error) {
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

Exit FuzzSearch::exit_after(const MaybeError& error) const {
  const uint64_t unsupported =
      result_.totals.outcomes[static_cast<size_t>(channel::Outcome::unsupported)];
  if (failures_.output_failed()) return Exit::output;
  if (!result_.failures.empty() || fails_on_lock_order(result_) ||
      result_.regressions_failed + result_.failures_elsewhere != 0 ||
      (member_ && member_->others_found_it())) {
    return Exit::found;
  }
  if (error) return error->code;
  if (interrupted_) return Exit::interrupted;
  if (!result_.unconfirmed.empty()) return Exit::not_reproduced;
  if (result_.stopped == "error" || result_.totals.stuck != 0 ||
      (unsupported != 0 && unsupported == result_.totals.schedules) || all_rejected(result_) ||
      nothing_tested(result_)) {
    return Exit::unsupported;
  }
  if (result_.regressions_not_followed != 0) return Exit::diverged;
  if (result_.verifies && proof_of(result_).kind == Proof::Kind::incomplete) {
    return Exit::incomplete;
  }
  return Exit::ok;
}

// The answer to the program that waits in its check.
void FuzzSearch::tell_check() {
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

int FuzzSearch::run(TestReport* report) {
  announce();
  const bool searches = try_known_findings();
  const MaybeError error = searches ? search() : std::nullopt;
  if (!searches) {
    interrupted_ = true;
    result_.stopped = "interrupted";
  }
  result_.exit = exit_after(error);
  write_fuzzer_stats({result_.totals, result_.elapsed});
  if (error) note(error->message);
  if (searches && (!error || result_.exit == Exit::found)) {
    print_summary(text_, result_, notes_, options_.quiet || is_test());
  }
  if (member_ && !options_.quiet) member_->say_end(text_);
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

}  // namespace jostle::cli
