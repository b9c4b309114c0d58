// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/stats.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "src/cli/findings/campaign_warnings.h"
#include "src/cli/findings/proof.h"
#include "src/cli/options/checks.h"
#include "src/cli/options/stop_points/stop_points.h"
#include "src/cli/recording/encoding.h"
#include "src/cli/recording/recording.h"
#include "src/cli/runs/uncontrolled.h"
#include "src/report/formats/diagnostic_json.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using report::Json;

double in_seconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time / std::chrono::microseconds(1)) / 1e6;
}

Json outcomes_json(const Totals& totals) {
  Json json = Json::object();
  for (size_t i = 0; i < totals.outcomes.size(); ++i) {
    const auto outcome = static_cast<channel::Outcome>(i);
    if (totals.outcomes[i] != 0) json[std::string(report::kind(outcome))] = totals.outcomes[i];
  }
  return json;
}

Json failure_json(const FailureEntry& failure) {
  Json json = {{"kind", failure.kind},
               {"summary", failure.headline},
               {"schedule", failure.schedule_number},
               {"signature", fmt::format("{:016x}", failure.signature)}};
  if (!failure.folder.empty()) json["replay"] = encode_bytes(failure.folder + "/replay.json");
  if (!failure.why_not.empty()) json["why"] = failure.why_not;
  json["preemptions"] = failure.preemptions;
  json["preemptions_before"] = failure.preemptions_before;
  if (!failure.why.empty()) json["explanation"] = failure.why;
  return json;
}

Json side_json(const report::RaceSide& side) {
  return {{"access", side.access},
          {"thread", side.thread},
          {"function", side.function},
          {"place", side.place}};
}

Json lock_order_json(const std::vector<LockOrderWarning>& warnings) {
  Json list = Json::array();
  for (const LockOrderWarning& warning : warnings) {
    Json steps = Json::array();
    for (const LockOrderWarning::Step& step : warning.steps) {
      steps.push_back({{"held", step.held},
                       {"held_at", step.held_at},
                       {"wanted", step.wanted},
                       {"wanted_at", step.wanted_at},
                       {"schedule", step.schedule_number}});
    }
    list.push_back(steps);
  }
  return list;
}

// What a free races with besides.
Json accesses_json(const std::vector<report::SeenRace>& races) {
  Json json = Json::array();
  for (const report::SeenRace& race : races) {
    json.push_back(side_json(race.later.frees ? race.earlier : race.later));
  }
  return json;
}

Json races_json(const std::vector<report::RaceGroup>& groups) {
  Json json = Json::array();
  for (const report::RaceGroup& group : groups) {
    for (const report::RaceEntry& entry : group.entries) {
      Json race = {{"object", entry.race.object},
                   {"whole_object", group.object},
                   {"earlier", side_json(entry.race.earlier)},
                   {"later", side_json(entry.race.later)},
                   {"schedule", entry.race.schedule_number},
                   {"key", fmt::format("{:016x}", entry.race.key)},
                   {"confirmed", true}};
      if (!entry.accesses.empty()) race["accesses"] = accesses_json(entry.accesses);
      json.push_back(race);
    }
  }
  return json;
}

// Pairs of a number of runs and how many data flows were seen that often.
Json histogram_json(const std::map<uint64_t, uint64_t>& histogram) {
  Json json = Json::array();
  for (const auto& [runs, flows] : histogram) json.push_back({runs, flows});
  return json;
}

Json list_json(const std::vector<FailureEntry>& failures) {
  Json json = Json::array();
  for (const FailureEntry& failure : failures) json.push_back(failure_json(failure));
  return json;
}

}  // namespace

std::string_view name(channel::StopReason reason) {
  switch (reason) {
    case channel::StopReason::none:
      return "none";
    case channel::StopReason::budget:
      return "budget";
    case channel::StopReason::time:
      return "time";
    case channel::StopReason::finding:
      return "finding";
    case channel::StopReason::exhausted:
      return "exhausted";
    case channel::StopReason::interrupted:
      return "interrupted";
    case channel::StopReason::error:
      return "error";
  }
  return "?";
}

std::string_view name(channel::Executor executor) {
  switch (executor) {
    case channel::Executor::automatic:
      return "auto";
    case channel::Executor::snapshot:
      return "snapshot";
    case channel::Executor::fork:
      return "fork";
  }
  return "?";
}

Shares shares_of(const Totals& totals, std::chrono::nanoseconds elapsed) {
  if (totals.schedules == 0) return {};
  const auto runs = static_cast<double>(totals.schedules);
  const auto ended = [&](channel::Outcome outcome) {
    return static_cast<double>(totals.outcomes[static_cast<size_t>(outcome)]);
  };
  const double deadlocked = ended(channel::Outcome::deadlock);
  const double timed_out = ended(channel::Outcome::timed_out) +
                           ended(channel::Outcome::step_limit) + ended(channel::Outcome::livelock);
  const double violated = static_cast<double>(totals.failing_schedules) - deadlocked - timed_out;
  return {100 * violated / runs, 100 * deadlocked / runs, 100 * timed_out / runs,
          std::chrono::duration<double, std::milli>(elapsed).count() / runs};
}

Evenness evenness_of(const Hub& hub) {
  uint64_t runs = 0, most = 0;
  double sum = 0;
  std::map<uint64_t, uint64_t> histogram;
  for (uint64_t i = 0; i < hub.reads_from_sets.different(); ++i) {
    const uint64_t count = hub.reads_from_sets.count_of(i);
    if (count == 0) continue;
    ++histogram[count];
    runs += count;
    most = std::max(most, count);
    sum += static_cast<double>(count) * std::log2(static_cast<double>(count));
  }
  if (runs == 0) return {};
  const auto all = static_cast<double>(runs);
  return {static_cast<double>(most) / all, std::log2(all) - sum / all, std::move(histogram)};
}

Json thoroughness_json(const Thoroughness& it) {
  if (!it.is_known()) return nullptr;
  return {{"runs", it.runs},
          {"classes", it.classes},
          {"singletons", it.singletons},
          {"is_estimate", it.is_estimate},
          {"new_class_chance", it.new_class},
          {"new_class_chance_below", it.new_class_below},
          {"runs_to_new_class", it.singletons == 0 ? Json() : Json(it.runs_to_new_class())},
          {"failure_chance_below", it.failure_below},
          {"confidence", 0.95},
          {"says", describe(it)}};
}

Thoroughness thoroughness_of(const CampaignResult& result) {
  constexpr uint64_t kMostClasses = decltype(Hub::reads_from_sets.set)::kMost;
  const bool saw_all = result.totals.exploration.finished != 0;
  const bool failed = !result.failures.empty() || !result.unconfirmed.empty() ||
                      result.failures_elsewhere != 0 || result.totals.failing_schedules != 0;
  if (failed || saw_all || result.totals.exploration.is_reduced != 0) return {};
  uint64_t runs = 0, classes = 0;
  for (const auto& [times, count] : result.evenness.histogram) {
    runs += times * count;
    classes += count;
  }
  return classes < kMostClasses ? thoroughness_of(runs, result.evenness.histogram) : Thoroughness{};
}

report::Json stats_json(const CampaignResult& result) {
  const double seconds = in_seconds(result.elapsed);
  const Totals& totals = result.totals;
  Json arguments = Json::array();
  for (const std::string& argument : result.arguments) arguments.push_back(encode_bytes(argument));
  std::map<std::string, int> by_kind;
  for (const FailureEntry& failure : result.failures) ++by_kind[failure.kind];
  Json uncontrolled = Json::array();
  // Who asks for its process id mostly does nothing with it: said where runs were not the same.
  const bool varied = totals.runs_differed || !result.unconfirmed.empty();
  const uint64_t bits = varied ? totals.uncontrolled : matters_always(totals.uncontrolled);
  for (const std::string_view line : describe_uncontrolled(bits)) {
    uncontrolled.push_back(line);
  }
  const double rate = seconds > 0 ? static_cast<double>(totals.schedules) / seconds : 0;
  const Shares shares = shares_of(totals, result.elapsed);
  const channel::Exploration& explored = totals.exploration;
  Json json = {{"format", "jostle-stats"},
               {"version", 1},
               {"jostle", own_version()},
               {"program", encode_bytes(result.target.given)},
               {"args", arguments},
               {"instrumented", result.target.instrumented},
               {"strategy", report::bounded(result.config.strategy)},
               {"seed", result.config.seed},
               {"points", name(result.config.points)},
               {"stop_functions", result.stop_functions},
               {"executor", name(totals.executor)},
               {"executor_note", result.executor_note},
               {"file_note", result.file_note},
               {"exit_code", static_cast<int>(result.exit)},
               {"stopped", result.stopped},
               {"start_time", in_seconds(result.started.time_since_epoch())},
               {"elapsed_s", seconds},
               {"schedules", totals.schedules},
               {"schedules_per_s", static_cast<uint64_t>(rate)},
               {"ms_per_schedule", shares.ms_per_schedule},
               {"distinct", totals.distinct},
               {"unique_traces", totals.distinct},
               {"unique_rf_signatures", totals.reads_from_sets},
               {"rf_commonest_share", result.evenness.commonest},
               {"rf_entropy_bits", result.evenness.entropy},
               {"rf_histogram", histogram_json(result.evenness.histogram)},
               {"thoroughness", thoroughness_json(thoroughness_of(result))},
               {"rf_pairs", totals.reads_from_pairs},
               {"corpus", totals.corpus},
               {"workers", result.workers},
               {"exhausted", explored.finished && explored.everything},
               {"explored", explored.explored},
               {"unexplored", explored.unexplored},
               {"exhaustive_bound", explored.bound >= 0 ? Json(explored.bound) : Json()},
               {"traces_digest", fmt::format("{:016x}", totals.traces)},
               {"steps", totals.steps},
               {"events", totals.events},
               {"max_live_threads", totals.max_live_threads},
               {"restarts", totals.restarts},
               {"stuck", totals.stuck},
               {"first_failure_at", totals.first_failure_at},
               {"failing_schedules", totals.failing_schedules},
               {"percent_violated", shares.violated},
               {"percent_deadlocked", shares.deadlocked},
               {"percent_timed_out", shares.timed_out},
               {"outcomes", outcomes_json(totals)},
               {"ended_early", totals.ended_early},
               {"failures_by_kind", by_kind},
               {"failures", list_json(result.failures)},
               {"unconfirmed", list_json(result.unconfirmed)},
               {"undone", result.undone},
               {"checks", check_names(result.config.checks)},
               {"fail_on", check_names(result.config.fail_on)},
               {"data_races", entry_count(result.races)},
               {"races", races_json(result.races)},
               {"lock_order_warnings", lock_order_json(result.lock_order)},
               {"regressions", result.regressions.value_or(Json())},
               {"warnings", report::diagnostics_json(campaign_warnings(result))},
               {"uncontrolled", uncontrolled}};
  add_proof(result, json);
  if (!result.campaign.empty()) {
    json["campaign"] = encode_bytes(result.campaign);
    json["worker"] = result.worker;
    json["failures_elsewhere"] = result.failures_elsewhere;
  }
  if (!result.test.empty()) json["test"] = encode_bytes(result.test);
  return json;
}

std::string stats_text(const CampaignResult& result) {
  return stats_json(result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string fuzzer_stats_text(const CampaignResult& result) {
  const Totals& totals = result.totals;
  const double seconds = in_seconds(result.elapsed);
  const auto ended = [&](channel::Outcome outcome) {
    return totals.outcomes[static_cast<size_t>(outcome)];
  };
  std::string text;
  const auto line = [&](std::string_view key, const auto& value) {
    text += fmt::format("{:<20}: {}\n", key, value);
  };
  line("start_time", std::chrono::system_clock::to_time_t(result.started));
  line("last_update", std::time(nullptr));
  line("run_time", static_cast<uint64_t>(seconds));
  line("fuzzer_pid", getpid());
  line("execs_done", totals.schedules);
  line("execs_per_sec",
       fmt::format("{:.2f}", seconds > 0 ? static_cast<double>(totals.schedules) / seconds : 0));
  line("corpus_count", totals.corpus);
  line("edges_found", totals.reads_from_pairs);
  line("unique_traces", totals.distinct);
  line("unique_rf_signatures", totals.reads_from_sets);
  line("saved_crashes", result.failures.size());
  line("saved_hangs", ended(channel::Outcome::timed_out) + ended(channel::Outcome::step_limit) +
                          ended(channel::Outcome::livelock));
  line("afl_banner", report::escape(result.target.name));
  line("afl_version", fmt::format("jostle {}", own_version()));
  return text;
}

}  // namespace jostle::cli
