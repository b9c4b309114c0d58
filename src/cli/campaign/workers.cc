// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/workers.h"

#include <algorithm>
#include <csignal>

#include "src/base/hash.h"
#include "src/cli/options/command_line.h"

namespace jostle::cli {
namespace {

void add(Totals& sum, const Totals& worker) {
  sum.schedules += worker.schedules;
  sum.steps += worker.steps;
  sum.events += worker.events;
  sum.failing_schedules += worker.failing_schedules;
  sum.rejected += worker.rejected;
  sum.scenarios += worker.scenarios;
  sum.not_judged += worker.not_judged;
  sum.timer_expiries += worker.timer_expiries;
  sum.inputs += worker.inputs;
  if (worker.first_failure_at != 0 &&
      (sum.first_failure_at == 0 || worker.first_failure_at < sum.first_failure_at)) {
    sum.first_failure_at = worker.first_failure_at;
  }
  sum.uncontrolled |= worker.uncontrolled;
  sum.runs_differed |= worker.runs_differed;
  sum.waits = sum.waits || worker.waits;
  sum.weak_compares = sum.weak_compares || worker.weak_compares;
  sum.max_live_threads = std::max(sum.max_live_threads, worker.max_live_threads);
  sum.restarts += worker.restarts;
  sum.stuck += worker.stuck;
  sum.executor = worker.executor;
  sum.traces = combine(sum.traces, worker.traces);
  if (worker.exploration.finished != 0 || sum.exploration.finished == 0) {
    sum.exploration = worker.exploration;
  }
  for (size_t i = 0; i < sum.outcomes.size(); ++i) sum.outcomes[i] += worker.outcomes[i];
  for (const auto& [why, runs] : worker.ended_early) sum.ended_early[why] += runs;
}

}  // namespace

Result<Workers> Workers::start(const LaunchPlan& plan, const channel::Config& config,
                               const Installation& installation, SharedHub hub, uint32_t count) {
  Workers workers(std::move(hub));
  // A search for everything divides its work itself (SearchBoard), or each worker does all of it.
  const bool divides = !strategy_info(config).has_graph;
  for (uint32_t i = 0; i < count; ++i) {
    LaunchPlan own = plan;
    own.hub = workers.hub_.descriptor();
    channel::Config settings = config;
    settings.worker = i;
    settings.workers = count;
    if (divides) {
      settings.part = config.part * count + i;
      settings.parts = std::max(1u, config.parts) * count;
    }
    settings.first_schedule = config.first_schedule + i;
    Result<Campaign> campaign = Campaign::start(own, settings, installation);
    if (!campaign) return campaign.error();
    workers.campaigns_.push_back(std::move(*campaign));
  }
  return workers;
}

Result<bool> Workers::step(SignalWatch& signals, std::chrono::milliseconds longest) {
  if (signals.take_suspend_request()) {
    for (Campaign& campaign : campaigns_) campaign.send(SIGSTOP);
    signals.suspend();
    for (Campaign& campaign : campaigns_) campaign.send(SIGCONT);
  }
  const auto poll =
      std::max(std::chrono::milliseconds(1), longest / static_cast<int>(campaigns_.size()));
  bool running = false;
  for (Campaign& campaign : campaigns_) {
    Result<bool> stepped = campaign.step(signals, poll);
    if (!stepped) return stepped;
    running |= *stepped;
  }
  // What ends one ends all: a failure, or that nothing is left to explore.
  const channel::StopReason why = stop_reason();
  if (why == channel::StopReason::finding || why == channel::StopReason::exhausted ||
      why == channel::StopReason::error) {
    stop();
  }
  return running;
}

std::optional<Finding> Workers::next_finding() {
  for (Campaign& campaign : campaigns_) {
    if (std::optional<Finding> finding = campaign.next_finding()) return finding;
  }
  return std::nullopt;
}

Result<bool> Workers::go_on(bool in_processes) {
  bool running = false;
  for (Campaign& campaign : campaigns_) {
    Result<bool> again = campaign.go_on(in_processes);
    if (!again) return again;
    running |= *again;
  }
  return running;
}

void Workers::stop() {
  for (Campaign& campaign : campaigns_) campaign.stop();
}

Totals Workers::totals() const {
  Totals sum;
  for (const Totals& worker : each()) add(sum, worker);
  sum.distinct = hub_->traces.used;
  sum.reads_from_sets = hub_->reads_from_sets.different();
  sum.reads_from_pairs = hub_->reads_from_pairs.used;
  sum.corpus = hub_->corpus_size();
  return sum;
}

std::vector<Totals> Workers::each() const {
  std::vector<Totals> all;
  for (const Campaign& campaign : campaigns_) all.push_back(campaign.totals());
  return all;
}

// The most telling one: whoever was only asked to stop says less.
channel::StopReason Workers::stop_reason() const {
  channel::StopReason best = channel::StopReason::none;
  for (const auto reason :
       {channel::StopReason::interrupted, channel::StopReason::time, channel::StopReason::budget,
        channel::StopReason::exhausted, channel::StopReason::finding, channel::StopReason::error}) {
    for (const Campaign& campaign : campaigns_) {
      if (campaign.stop_reason() == reason) best = reason;
    }
  }
  return best;
}

std::string Workers::note() const {
  for (const Campaign& campaign : campaigns_) {
    if (!campaign.note().empty()) return campaign.note();
  }
  return {};
}

std::string Workers::executor_note() const {
  for (const Campaign& campaign : campaigns_) {
    if (!campaign.executor_note().empty()) return campaign.executor_note();
  }
  return {};
}

std::string Workers::file_note() const {
  for (const Campaign& campaign : campaigns_) {
    if (!campaign.file_note().empty()) return campaign.file_note();
  }
  return {};
}

void Workers::pause() {
  for (Campaign& campaign : campaigns_) campaign.pause();
}

void Workers::go_on_running() {
  for (Campaign& campaign : campaigns_) campaign.go_on_running();
}

bool Workers::interrupted() const {
  return std::any_of(campaigns_.begin(), campaigns_.end(),
                     [](const Campaign& campaign) { return campaign.interrupted(); });
}

std::chrono::nanoseconds Workers::elapsed() const {
  std::chrono::nanoseconds longest{0};
  for (const Campaign& campaign : campaigns_) longest = std::max(longest, campaign.elapsed());
  return longest;
}

}  // namespace jostle::cli
