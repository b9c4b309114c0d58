// SPDX-License-Identifier: Apache-2.0
#include "src/cli/runs/missing_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <span>

#include "src/base/memory_order.h"
#include "src/cli/runs/diagnosis.h"
#include "src/cli/target/standard_input.h"
#include "src/report/explain/stale_reads.h"
#include "src/report/model/failure_kinds.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using Clock = std::chrono::steady_clock;
using report::Strengthening;

constexpr std::chrono::seconds kLongestTrying{6};
// What a search with stronger orders gets: bugs of weak memory show within some hundred. What is
// said in the end was tried for longer.
constexpr uint64_t kSchedules = 500;
constexpr uint64_t kThorough = 5000;
// Orders are missing at several places: with one of them in place the program fails in another
// way, which is looked at in turn.
constexpr int kMostOrderRounds = 5;

// A claim about nobody: the schedule is followed as far as it goes.
constexpr Claim kNoChange{Claim::Kind::through, UINT32_MAX - 1, 0, 0, 0};

channel::Config with_weak_memory(channel::Config config) {
  config.memory = channel::MemoryModel::c11;
  return config;
}

class Trial {
 public:
  Trial(const Execution& failing, const LaunchPlan& plan, const channel::Config& config,
        const Installation& installation)
      : end_(failing.record().end),
        plan_(plan),
        config_(with_weak_memory(config)),
        installation_(installation),
        deadline_(Clock::now() + kLongestTrying) {}

  bool out_of_time() const { return Clock::now() >= deadline_ || plan_.budget.over(); }

  // The schedule fails as before.
  bool still_fails(const ScheduleLog& log, const Strengthening& orders) const {
    channel::Config config = with(config_, orders);
    prepare_change(config, claim_text(kNoChange));
    const std::optional<Execution> run = run_once(config, &log);
    return !run || report::same_failure(end_, run->record().end);
  }

  // A recorded replay, which knows the fences that were executed.
  std::optional<Execution> replay(const ScheduleLog& log, const channel::Failure& end,
                                  const Strengthening& orders) const {
    channel::Config config = with(config_, orders);
    prepare_replay(config, end);
    config.watch_orders = 1;
    std::optional<Execution> run = run_once(config, &log);
    if (!run || !report::same_failure(end_, run->record().end)) return std::nullopt;
    return run;
  }

  struct Searched {
    bool complete = false;  // all schedules were tried
    uint64_t schedules = 0;
    std::optional<Finding> failing = {};
  };
  Searched search(const Strengthening& orders) const {
    Searched first = search(orders, kSchedules);
    return first.complete && first.schedules >= kSchedules ? search(orders, kThorough) : first;
  }

 private:
  Searched search(const Strengthening& orders, uint64_t schedules) const {
    Searched result;
    Result<SharedChannel> channel = create_channel();
    if (!channel || out_of_time()) return result;
    (*channel)->config = searching(with(config_, orders), schedules);
    LaunchPlan plan = plan_;
    const Descriptor again = plan.in < 0 ? Descriptor() : reopen(plan.in);
    if (again.valid()) plan.in = again.get();
    Result<TargetProcess> process = launch(plan, *channel, installation_);
    if (!process) return result;
    FindingReader reader(**channel);
    const auto take = [&] {
      while (std::optional<Finding> finding = reader.next()) {
        if (!result.failing && report::same_failure(end_, finding->end)) {
          result.failing = std::move(finding);
        }
      }
      return result.failing.has_value();
    };
    bool ended = true;
    while (!process->wait(plan.budget.at_most(std::chrono::milliseconds(5)))) {
      if (!take() && !out_of_time()) continue;
      process->kill();
      ended = false;
      break;
    }
    take();
    const channel::Status& status = (*channel)->status;
    result.schedules = status.runs;
    result.complete = ended && !result.failing &&
                      (status.stop_reason == channel::StopReason::budget ||
                       status.stop_reason == channel::StopReason::exhausted);
    return result;
  }

  static channel::Config with(channel::Config config, const Strengthening& orders) {
    config.order_change_count =
        static_cast<uint32_t>(std::min<size_t>(orders.size(), channel::kMaxOrderChanges));
    std::copy_n(orders.begin(), config.order_change_count, config.order_changes);
    return config;
  }

  static channel::Config searching(channel::Config config, uint64_t schedules) {
    config.mode = channel::Mode::fuzz;
    config.record = 0;
    config.worker = 0;
    config.workers = 1;
    config.hub_descriptor = 0;
    config.first_schedule = 1;
    config.max_schedules = schedules;
    config.max_nanoseconds = 0;
    config.keep_graph = config.has_input = config.minimize = 0;
    config.byte_count = 0;
    config.keep_going = 1;
    config.expected_end = 0;
    config.expected_race = 0;
    config.stop_at_event = 0;
    return config;
  }

  std::optional<Execution> run_once(const channel::Config& config, const ScheduleLog* log) const {
    if (out_of_time()) return std::nullopt;
    LaunchPlan plan = plan_;
    const Descriptor again = plan.in < 0 ? Descriptor() : reopen(plan.in);
    if (again.valid()) plan.in = again.get();
    Result<Execution> run = execute(plan, config, log, installation_);
    if (!run || run->interrupted || run->out_of_time) return std::nullopt;
    return std::move(*run);
  }

  const channel::Failure end_;
  const LaunchPlan& plan_;
  const channel::Config config_;
  const Installation& installation_;
  const Clock::time_point deadline_;
};

// The program's own fences that are weaker, as fences of that order: each, and all.
void add_stronger_fences(const channel::OrderWatch& watch, int order,
                         std::vector<Strengthening>& to) {
  Strengthening all;
  const uint32_t count = std::min(watch.site_count, channel::kMaxOrderSites);
  for (const channel::OrderSite& site : std::span(watch.sites, count)) {
    if (site.kind != OpKind::fence || stronger_of(site.order, order) == site.order) continue;
    if (std::ranges::find(all, site.location, &channel::OrderChange::location) != all.end()) {
      continue;
    }
    all.push_back({.location = site.location,
                   .order = order,
                   .fence = 0,
                   .rule = channel::OrderChange::Rule::at_least,
                   .was = channel::kNoOrder,
                   .failure = channel::kNoOrder,
                   .failure_was = channel::kNoOrder});
  }
  for (const channel::OrderChange& fence : all) to.push_back({fence});
  if (all.size() > 1) to.push_back(std::move(all));
}

// Who has put a fence there, but a weak one, needs no second one.
std::vector<Strengthening> stronger_fences(const channel::OrderWatch& watch) {
  std::vector<Strengthening> found;
  for (const int order : {__ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST}) {
    add_stronger_fences(watch, order, found);
  }
  return found;
}

// What is one line of the source may be several places in the code, where a loop was unrolled or a
// function inlined more than once: who writes another order there changes all of them.
class WholeLines {
 public:
  explicit WholeLines(const Execution& run)
      : symbols_(report::modules(*run.channel)), watch_(run.channel->orders) {}

  // With the operations of the same kind and order on the same lines, as far as the run has them.
  Strengthening whole(const Strengthening& what) {
    Strengthening all = what;
    for (const channel::OrderChange& change : what) {
      const channel::OrderSite* const own = site_of(change.location);
      const std::string line = line_of(change.location);
      if (!own || line.empty()) continue;
      for (const channel::OrderSite& site : sites()) {
        const bool is_alike = site.kind == own->kind && site.order == own->order;
        if (!is_alike || line_of(site.location) != line) continue;
        channel::OrderChange other = change;
        other.location = site.location;
        all = report::joined(all, {other});
      }
    }
    return all.size() > channel::kMaxOrderChanges ? what : all;
  }

  // Those that are on the line of this one.
  bool are_one(const channel::OrderChange& a, const channel::OrderChange& b) {
    if (a.location == b.location) return true;
    const std::string line = line_of(a.location);
    return !line.empty() && a.order == b.order && a.fence == b.fence && line == line_of(b.location);
  }

 private:
  std::span<const channel::OrderSite> sites() const {
    return std::span(watch_.sites, std::min(watch_.site_count, channel::kMaxOrderSites));
  }
  const channel::OrderSite* site_of(channel::CodeLocation location) const {
    const auto found = std::ranges::find(sites(), location, &channel::OrderSite::location);
    return found == sites().end() ? nullptr : &*found;
  }
  const std::string& line_of(channel::CodeLocation location) {
    const auto [entry, is_new] = lines_.try_emplace(location);
    if (is_new) {
      const report::Frame frame = symbols_.line_that_matters(symbols_.address_of(location));
      if (frame.line != 0) entry->second = fmt::format("{}:{}", frame.file, frame.line);
    }
    return entry->second;
  }

  report::Symbolizer symbols_;
  const channel::OrderWatch& watch_;
  std::map<channel::CodeLocation, std::string> lines_;
};

std::vector<Strengthening> candidates(const Execution& run) {
  const report::RunTrace trace(run.record());
  report::Symbolizer symbols(report::modules(*run.channel));
  report::Names names(run.record(), symbols);
  std::vector<Strengthening> found = report::strengthenings({trace, symbols, names});
  // Behind orders at one place, before new fences.
  const auto has_fences = [](const Strengthening& what) {
    return what.size() > 1 || std::ranges::any_of(what, [](const channel::OrderChange& site) {
             return site.fence != 0;
           });
  };
  const std::vector<Strengthening> own = stronger_fences(run.channel->orders);
  found.insert(std::ranges::find_if(found, has_fences), own.begin(), own.end());
  WholeLines lines(run);
  for (Strengthening& what : found) what = lines.whole(what);
  // An order in one line, which may be several places in the code, before everything else.
  std::stable_partition(found.begin(), found.end(), [&](const Strengthening& what) {
    return what.front().fence == 0 &&
           std::ranges::all_of(what, [&](const channel::OrderChange& change) {
             return lines.are_one(what.front(), change);
           });
  });
  return found;
}

struct Enough {
  Strengthening orders;
  uint64_t schedules;  // that were tried with them
};

// Without the lines that are not needed.
Enough without_needless(Enough found, WholeLines& lines, const Trial& trial) {
  for (size_t i = 0; i < found.orders.size();) {
    Strengthening fewer = found.orders;
    const channel::OrderChange line = fewer[i];
    std::erase_if(fewer,
                  [&](const channel::OrderChange& other) { return lines.are_one(line, other); });
    const Trial::Searched searched = fewer.empty() ? Trial::Searched{} : trial.search(fewer);
    if (searched.complete) {
      found = {std::move(fewer), searched.schedules};
    } else {
      ++i;
    }
  }
  return found;
}

std::optional<Enough> find_orders(const Execution& failing, const Trial& trial) {
  Strengthening base;
  ScheduleLog log = log_of(failing);
  const std::optional<Execution> again = trial.replay(log, failing.record().end, {});
  WholeLines lines(failing);
  std::vector<Strengthening> next = candidates(again ? *again : failing);
  for (int round = 0; round < kMostOrderRounds; ++round) {
    // What went furthest without being enough, and how it failed then.
    Strengthening best;
    std::optional<Trial::Searched> best_search;
    for (const Strengthening& candidate : next) {
      if (trial.out_of_time()) return std::nullopt;
      const Strengthening orders = report::joined(base, candidate);
      if (orders.size() > channel::kMaxOrderChanges || trial.still_fails(log, orders)) continue;
      Trial::Searched searched = trial.search(orders);
      if (searched.complete) {
        return without_needless({orders, searched.schedules}, lines, trial);
      }
      if (!searched.failing) continue;
      const uint64_t at = searched.failing->schedule_number;
      if (!best_search || at > best_search->failing->schedule_number) {
        best = orders;
        best_search = std::move(searched);
      }
    }
    if (!best_search) return std::nullopt;
    const std::optional<Execution> other =
        trial.replay(best_search->failing->log, best_search->failing->end, best);
    if (!other) return std::nullopt;
    base = std::move(best);
    log = best_search->failing->log;
    next = candidates(*other);
  }
  return std::nullopt;
}

}  // namespace

std::string missing_order(const Execution& failing, const LaunchPlan& plan,
                          const channel::Config& config, const Installation& installation) {
  const Trial trial(failing, plan, config, installation);
  const std::optional<Enough> enough = find_orders(failing, trial);
  if (!enough) return {};
  report::Symbolizer symbols(report::modules(*failing.channel));
  return fmt::format("With {} this does not happen any more ({} tried).",
                     report::strengthening_text(enough->orders, symbols),
                     report::count(enough->schedules, "schedule"));
}

}  // namespace jostle::cli
