// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/race_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "src/report/text/race_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using Clock = std::chrono::steady_clock;

// With more races than these the first ones have to be mended before the others matter.
constexpr size_t kMostRaces = 200;
constexpr size_t kMostInBrief = 10;
// The search is over and somebody waits: no replay begins later than this. Those that run then are
// ended a little later, the first of all much later: on a busy machine one is better than none.
constexpr std::chrono::milliseconds kNoneBeginsAfter{1200}, kAllEndAfter{1700};
constexpr std::chrono::seconds kFirstEndsAfter{5};

uint64_t key_of(const Finding& finding) {
  return channel::race_key(finding.end.race[0], finding.end.race[1]);
}

std::vector<report::SeenRace> in_order(
    const std::vector<Finding>& findings,
    const std::map<uint64_t, std::optional<report::SeenRace>>& shown, size_t& suppressed) {
  std::vector<report::SeenRace> seen;
  std::set<uint64_t> listed;
  for (const Finding& finding : findings) {
    const auto found = shown.find(key_of(finding));
    if (found == shown.end() || !listed.insert(key_of(finding)).second) continue;
    if (!found->second) {
      ++suppressed;
      continue;
    }
    seen.push_back(*found->second);
    seen.back().schedule_number = finding.schedule_number;
  }
  return seen;
}

}  // namespace

void RaceList::add(Finding finding) {
  if (keys_.size() < kMostRaces) keys_.insert(key_of(finding));
  if (keys_.contains(key_of(finding))) findings_.push_back(std::move(finding));
}

// The runs with the most races first. Of a run its last race: the replay ends there, and meets the
// others on the way. The others come later, for races that did not show.
std::vector<const Finding*> RaceList::in_order_of_use() const {
  std::map<uint64_t, std::vector<const Finding*>> runs;
  for (const Finding& finding : findings_) runs[finding.schedule_number].push_back(&finding);
  std::vector<std::vector<const Finding*>> by_count;
  by_count.reserve(runs.size());
  for (auto& [number, findings] : runs) by_count.push_back(std::move(findings));
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<const Finding*> order;
  order.reserve(findings_.size());
  for (const auto& run : by_count) order.push_back(run.back());
  for (const auto& run : by_count) order.insert(order.end(), run.rbegin() + 1, run.rend());
  return order;
}

MaybeError RaceList::replay(const ConfirmSetup& setup, const FuzzInputs* inputs,
                            const Finding& finding, Shown& shown, bool& out_of_time) const {
  Result<StandardInput> own =
      inputs ? input_of_bytes(inputs->failing(finding.schedule_number)) : StandardInput();
  if (!own) return own.error();
  ReplayOutput output;
  output.is_for_races = true;
  Result<Execution> run =
      replay_finding(setup.with_input(inputs ? *own : setup.input), finding, output);
  if (!run) return run.error();
  out_of_time = run->out_of_time;
  const channel::RunRecord& record = run->record();
  report::Symbolizer symbols(report::modules(*run->channel));
  report::Names names(record, symbols);
  for (const channel::RaceRecord& race : report::races(record)) {
    if (shown.contains(race.key)) continue;
    std::optional<report::SeenRace> seen;
    if (!setup.suppressions.match(race, symbols)) {
      seen = report::describe_race(race, symbols, names);
    }
    shown.emplace(race.key, std::move(seen));
  }
  return std::nullopt;
}

MaybeError RaceList::resolve(const ConfirmSetup& setup, const FuzzInputs* inputs) {
  const Clock::time_point begin = Clock::now();
  ConfirmSetup limited = setup.with_input(setup.input);
  limited.budget = setup.budget.within(kFirstEndsAfter);
  Shown shown;
  std::set<uint64_t> untried;
  for (const Finding* finding : in_order_of_use()) {
    const uint64_t key = key_of(*finding);
    if (shown.contains(key)) continue;
    if (setup.budget.over() || Clock::now() > begin + kNoneBeginsAfter) {
      untried.insert(key);
      continue;
    }
    bool out_of_time = false;
    if (MaybeError error = replay(limited, inputs, *finding, shown, out_of_time)) return error;
    if (out_of_time) untried.insert(key);
    limited.budget = setup.budget.within(kAllEndAfter, begin);
  }
  keep(shown, untried);
  return std::nullopt;
}

void RaceList::keep(const Shown& shown, const std::set<uint64_t>& untried) {
  groups_ = report::group_races(in_order(findings_, shown, suppressed_));
  left_ = static_cast<size_t>(
      std::ranges::count_if(untried, [&](uint64_t key) { return !shown.contains(key); }));
}

size_t entry_count(const std::vector<report::RaceGroup>& groups) {
  size_t count = 0;
  for (const report::RaceGroup& group : groups) count += group.entries.size();
  return count;
}

std::string RaceList::brief(const std::string& file, size_t columns) const {
  return fmt::format(
      "{} seen (not counted as failures; --fail-on race makes them so)\n{}"
      "  stacks: {}\n",
      report::count(entry_count(groups_), "data race"),
      report::race_lines(groups_, kMostInBrief, columns), file);
}

std::vector<report::RaceGroup> races_of(const channel::Channel& channel,
                                        const Suppressions& suppressions) {
  report::Symbolizer symbols(report::modules(channel));
  report::Names names(channel.record, symbols);
  std::vector<report::SeenRace> seen;
  for (const channel::RaceRecord& race : report::races(channel.record)) {
    if (suppressions.match(race, symbols)) continue;
    seen.push_back(report::describe_race(race, symbols, names));
  }
  return report::group_races(seen);
}

}  // namespace jostle::cli
