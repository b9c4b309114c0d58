#include "src/cli/race_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "src/report/race_text.h"
#include "src/report/record_view.h"
#include "src/report/text.h"

namespace jostle::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Whoever has more races than these has other worries than to see them all.
constexpr size_t kMostRaces = 200;
constexpr size_t kMostInBrief = 10;
// Of a campaign without a limit on its time.
constexpr std::chrono::seconds kLongest{30};

RaceEntry::Side side_of(const channel::RaceAccess& access, report::Symbolizer& symbols,
                        report::Names& names) {
  const report::Frame frame = report::race_place(access, symbols);
  return {report::race_access_kind(access), names.title(access.thread), frame.function,
          report::source(frame)};
}

uint64_t key_of(const Finding& finding) {
  return channel::race_key(finding.end.race[0], finding.end.race[1]);
}

RaceEntry entry_of(const channel::RaceRecord& race, report::Symbolizer& symbols,
                   report::Names& names) {
  RaceEntry entry;
  entry.key = race.key;
  entry.line = report::race_line(race, symbols, names);
  entry.text = report::race_block(race, symbols, names, false);
  entry.object = names.object(race.address);
  entry.earlier = side_of(race.earlier, symbols, names);
  entry.later = side_of(race.later, symbols, names);
  return entry;
}

}  // namespace

void RaceList::add(Finding finding) {
  if (keys_.size() < kMostRaces) keys_.insert(key_of(finding));
  if (keys_.contains(key_of(finding))) findings_.push_back(std::move(finding));
}

// The last one of a run first: the replay of that run meets the others on the way.
MaybeError RaceList::resolve(const ConfirmSetup& setup, const FuzzInputs* inputs) {
  const Clock::time_point deadline = Clock::now() + kLongest;
  std::map<uint64_t, std::optional<RaceEntry>> seen;  // none: suppressed
  std::set<uint64_t> untried;
  for (auto finding = findings_.rbegin(); finding != findings_.rend(); ++finding) {
    const uint64_t key = key_of(*finding);
    if (seen.contains(key)) continue;
    if (setup.budget.over() || Clock::now() > deadline) {
      untried.insert(key);
      continue;
    }
    Result<StandardInput> own =
        inputs ? input_of_bytes(inputs->failing(finding->schedule_number)) : StandardInput();
    if (!own) return own.error();
    Result<Execution> run = replay_finding(setup.with_input(inputs ? *own : setup.input), *finding);
    if (!run) return run.error();
    if (run->out_of_time) untried.insert(key);
    const channel::RunRecord& record = run->record();
    report::Symbolizer symbols(report::modules(*run->channel));
    report::Names names(record, symbols);
    for (const channel::RaceRecord& race : report::races(record)) {
      std::optional<RaceEntry> entry;
      if (!setup.suppressions.match(race, symbols)) entry = entry_of(race, symbols, names);
      seen.emplace(race.key, std::move(entry));
    }
  }
  std::set<uint64_t> listed;
  for (const Finding& finding : findings_) {
    const auto found = seen.find(key_of(finding));
    if (found == seen.end() || !listed.insert(key_of(finding)).second) continue;
    if (!found->second) {
      ++suppressed_;
      continue;
    }
    entries_.push_back(std::move(*found->second));
    entries_.back().schedule_number = finding.schedule_number;
  }
  left_ = static_cast<size_t>(
      std::ranges::count_if(untried, [&](uint64_t key) { return !listed.contains(key); }));
  return std::nullopt;
}

std::string RaceList::brief(const std::string& file) const {
  std::string text =
      fmt::format("{} seen (not counted as failures; --fail-on race makes them so)\n",
                  report::count(entries_.size(), "data race"));
  for (size_t i = 0; i < std::min(entries_.size(), kMostInBrief); ++i) {
    text += "  " + report::wrap(entries_[i].line, report::kColumns - 2, "      ") + "\n";
  }
  if (entries_.size() > kMostInBrief) {
    text += fmt::format("  … {} more\n", entries_.size() - kMostInBrief);
  }
  return text + fmt::format("  stacks: {}\n", file);
}

std::string RaceList::text() const {
  std::string text;
  for (const RaceEntry& entry : entries_) {
    text += fmt::format("data race on {}\n  first seen in schedule {}\n{}\n", entry.line,
                        report::thousands(entry.schedule_number), entry.text);
  }
  return text;
}

std::string describe_races(const channel::Channel& channel, const Suppressions& suppressions) {
  report::Symbolizer symbols(report::modules(channel));
  report::Names names(channel.record, symbols);
  std::string text;
  for (const channel::RaceRecord& race : report::races(channel.record)) {
    if (suppressions.match(race, symbols)) continue;
    text += fmt::format("data race on {}\n{}\n", report::race_line(race, symbols, names),
                        report::race_block(race, symbols, names, true));
  }
  return text;
}

}  // namespace jostle::cli
