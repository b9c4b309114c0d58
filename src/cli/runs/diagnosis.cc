// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/diagnosis.h"

#include <fcntl.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>

#include "src/cli/options/stop_points/stop_points.h"
#include "src/cli/runs/missing_order.h"
#include "src/cli/target/program_code.h"
#include "src/cli/target/standard_input.h"
#include "src/report/explain/waits/misused.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/text/spurious_text.h"
#include "src/report/words/record_view.h"

namespace jostle::cli {
namespace {

// All that naming a run takes, in one place.
struct Side {
  explicit Side(const Execution& run)
      : trace(run.record()), symbols(report::modules(*run.channel)), names(run.record(), symbols) {}
  report::NamedRun named() { return {trace, symbols, names}; }

  report::RunTrace trace;
  report::Symbolizer symbols;
  report::Names names;
};

using Clock = std::chrono::steady_clock;

// All trials together. Where runs are long, an explanation is not worth waiting for.
constexpr std::chrono::seconds kLongestDiagnosis{3};

// Runs of the same program with other schedules.
class Runner {
 public:
  Runner(const LaunchPlan& plan, const channel::Config& config, const Installation& installation)
      : plan_(plan),
        config_(config),
        installation_(installation),
        deadline_(Clock::now() + kLongestDiagnosis) {}

  // Nothing when it did not pass, or there is no time left.
  std::optional<Execution> follow(const ScheduleLog& log) const { return pass(config_, log); }
  std::optional<Execution> try_claim(const Claim& claim, const ScheduleLog& log) const {
    channel::Config config = config_;
    prepare_change(config, claim_text(claim));
    return pass(config, log);
  }

 private:
  std::optional<Execution> pass(channel::Config config, const ScheduleLog& log) const {
    const auto left = std::chrono::nanoseconds(deadline_ - Clock::now());
    if (plan_.budget.over() || left.count() <= 0) return std::nullopt;
    const auto most = static_cast<uint64_t>(left.count());
    if (config.run_nanoseconds == 0 || config.run_nanoseconds > most) config.run_nanoseconds = most;
    LaunchPlan plan = plan_;
    const Descriptor again = plan.in < 0 ? Descriptor() : reopen(plan.in);
    if (again.valid()) plan.in = again.get();
    Result<Execution> run = execute(plan, config, &log, installation_);
    if (!run || run->interrupted || run->out_of_time) return std::nullopt;
    if (report::is_failure(run->record().end, config.any_exit_code_ok == 0)) return std::nullopt;
    if (run->record().end.outcome != channel::Outcome::exited) return std::nullopt;
    return std::move(*run);
  }

  const LaunchPlan& plan_;
  const channel::Config& config_;
  const Installation& installation_;
  const Clock::time_point deadline_;
};

// What was perhaps read too early.
std::vector<report::Suspicion> too_early(const report::NamedRun& fails,
                                         const std::vector<report::Probe>& probes,
                                         const ScheduleLog& failing, const Runner& runner) {
  std::vector<report::Suspicion> found;
  for (const report::Probe& probe : probes) {
    const std::optional<Execution> run = runner.try_claim(probe.claim, failing);
    if (!run) continue;
    Side trial(*run);
    for (report::Suspicion& each : report::missed_writes(fails, probe, trial.named())) {
      found.push_back(std::move(each));
    }
  }
  return found;
}

report::Explanation with_change(report::Explanation says, const Claim& claim) {
  says.passes_with = claim;
  return says;
}

// The first suspicion that a run bears out. `tried`: what has been run.
report::Explanation first_true(const std::vector<report::Suspicion>& suspects,
                               const ScheduleLog& failing, const Runner& runner,
                               std::vector<Claim>& tried) {
  constexpr size_t kMostTrials = 24;
  const auto is_true = [&](const report::Suspicion& suspicion, const Claim& claim) {
    const bool known = std::ranges::find(tried, claim) != tried.end();
    if (known || tried.size() == kMostTrials) return false;
    tried.push_back(claim);
    const std::optional<Execution> run = runner.try_claim(claim, failing);
    if (!run) return false;
    Side trial(*run);
    return report::bears_out(suspicion, trial.named());
  };
  for (const report::Suspicion& each : suspects) {
    if (is_true(each, each.claim)) return with_change(each.says, each.claim);
  }
  for (const report::Suspicion& each : suspects) {
    const Claim all = report::wait_for_all(each.claim);
    if (each.says_less && is_true(each, all)) return with_change(*each.says_less, all);
  }
  return {};
}

}  // namespace

ScheduleLog log_of(const Execution& run) {
  ScheduleLog log = copy_schedule(run.record().schedule);
  const channel::Draws& draws = run.record().draws;
  const uint32_t count = std::min(draws.count, channel::kMaxDraws);
  log.draws.assign(draws.list, draws.list + count);
  return log;
}

std::vector<channel::StopRange> library_code(const LaunchPlan& plan,
                                             const Installation& installation) {
  // A command has one program, but asks for it at every replay.
  static auto& known = *new std::map<std::string, std::vector<channel::StopRange>>;
  if (const auto found = known.find(plan.program); found != known.end()) return found->second;
  const Result<std::vector<ModuleCode>> modules = probe_program(plan, installation);
  if (!modules) return {};
  return known[plan.program] = library_ranges(*modules);
}

std::string claim_text(const Claim& claim) {
  char text[sizeof channel::Config::strategy];
  write_claim(claim, text, sizeof text);
  return text;
}

void prepare_change(channel::Config& config, std::string_view claim) {
  config.mode = channel::Mode::run;
  config.has_input = 1;
  config.expected_end = static_cast<uint32_t>(channel::Outcome::exited);
  const size_t size = std::min(claim.size(), sizeof config.strategy - 1);
  std::ranges::copy(claim.substr(0, size), config.strategy);
  config.strategy[size] = '\0';
}

Diagnosis diagnose(const Execution& failing, LaunchPlan plan, channel::Config config,
                   const KnownAround& around, const Installation& installation) {
  Side fails(failing);
  report::Explanation end = explain_end(fails.named());
  const Descriptor silence(open("/dev/null", O_WRONLY | O_CLOEXEC));
  plan.out = plan.err = silence.get();
  plan.own_group = true;
  // What no thread could have done in another order shows in what it read.
  if (report::is_of_weak_memory(failing.record()) && !fails.trace.empty()) {
    report::Explanation stale = explain_stale_reads(fails.named(), around.sequential);
    const std::string missing = missing_order(failing, plan, config, installation);
    if (!missing.empty()) stale.sentences.push_back(missing);
    return {explain_spurious(fails.named(), explain_both(std::move(end), stale))};
  }
  const bool is_race = failing.record().end.outcome == channel::Outcome::race;
  if (is_race) {
    // Which of the two came first, and why, is beside the point if an order is all that is missing.
    const std::string missing = missing_order(failing, plan, config, installation);
    if (!missing.empty()) {
      end.sentences.push_back(missing);
      return {explain_spurious(fails.named(), std::move(end))};
    }
  }
  config.expected_end = static_cast<uint32_t>(channel::Outcome::exited);
  const Runner runner(plan, config, installation);
  const ScheduleLog original = log_of(failing);
  // What happens without a reason is the cause if nothing else has to change.
  const std::optional<uint32_t> spurious = report::first_spurious(fails.named());
  if (spurious && !is_looked_at_again(fails.named(), *spurious) &&
      runner.try_claim({.kind = Claim::Kind::certain}, original)) {
    return {explain_spurious(fails.named(), std::move(end), true)};
  }
  const bool tells_all = !end.empty() && !end.only_the_end;
  if (tells_all || fails.trace.empty()) return {explain_spurious(fails.named(), std::move(end))};
  std::vector<report::Suspicion> suspects;
  report::Explanation known;  // of the nearest that passes
  const ScheduleLog* nearest = nullptr;
  suspects = too_early(fails.named(), report::probes(fails.named()), original, runner);
  for (const ScheduleLog& log : around.passing) {
    const std::optional<Execution> run = runner.follow(log);
    if (!run) continue;
    Side passes(*run);
    report::Explanation differs = explain_difference(fails.named(), passes.named(), false);
    if (!differs.empty() && (known.empty() || differs.distance < known.distance)) {
      known = std::move(differs);
      nearest = &log;
    }
    for (report::Suspicion& each : report::suspicions(fails.named(), passes.named())) {
      suspects.push_back(std::move(each));
    }
  }
  std::erase_if(suspects,
                [&](const report::Suspicion& each) { return !is_about_race(each, fails.named()); });
  std::stable_partition(suspects.begin(), suspects.end(),
                        [](const report::Suspicion& each) { return !each.is_consequence; });
  // What libraries do among themselves comes last: the program's own mistake shows there, too.
  std::vector<report::Suspicion> of_libraries;
  const auto own_end = std::stable_partition(
      suspects.begin(), suspects.end(),
      [&](const report::Suspicion& each) { return is_of_own_code(each, fails.named()); });
  of_libraries.assign(std::make_move_iterator(own_end), std::make_move_iterator(suspects.end()));
  suspects.erase(own_end, suspects.end());
  if (auto freed = report::freed_too_early(fails.named())) {
    // Accesses that were torn apart say more than that the block was still in use.
    const bool is_torn = !report::interruptions(fails.trace).empty();
    const auto behind =
        is_torn ? suspects.end()
                : std::stable_partition(suspects.begin(), suspects.end(),
                                        [&](const report::Suspicion& each) {
                                          return is_about_pointer_to_freed(each, fails.named());
                                        });
    suspects.insert(behind, std::move(*freed));
  }
  if (auto destroyed = report::destroyed_too_early(fails.named())) {
    const bool is_torn = !report::interruptions(fails.trace).empty();
    suspects.insert(is_torn ? suspects.end() : suspects.begin(), std::move(*destroyed));
  }
  for (report::Suspicion& each : report::used_before(fails.named())) {
    suspects.push_back(std::move(each));
  }
  Diagnosis result;
  std::vector<Claim> tried;
  report::Explanation difference = first_true(suspects, original, runner, tried);
  if (difference.empty() && !of_libraries.empty()) {
    const std::vector<report::Probe> probes = report::probes_behind(fails.named());
    difference =
        first_true(too_early(fails.named(), probes, original, runner), original, runner, tried);
  }
  if (difference.empty()) difference = first_true(of_libraries, original, runner, tried);
  // What else differs between two runs is beside the point of a race.
  if (difference.empty() && nearest && !is_race) {
    difference = std::move(known);
    result.passing = *nearest;
  }
  result.why = explain_spurious(fails.named(), explain_both(end, difference));
  return result;
}

}  // namespace jostle::cli
