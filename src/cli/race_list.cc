#include "src/cli/race_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "src/report/race_text.h"
#include "src/report/record_view.h"
#include "src/report/text.h"

namespace jostle::cli {
namespace {

using Clock = std::chrono::steady_clock;

// Whoever has more races than these has other worries than to see them all.
constexpr size_t kMostRaces = 200;
constexpr size_t kMostInBrief = 10;
// Replaying is no part of the campaign's time.
constexpr std::chrono::seconds kLongest{30};

RaceEntry::Side side_of(const channel::RaceAccess& access, report::Symbolizer& symbols,
                        report::Names& names) {
  const report::Frame frame = report::race_place(access, symbols);
  return {report::race_access_kind(access), names.title(access.thread), frame.function,
          report::source(frame)};
}

void fill(RaceEntry& entry, const channel::RaceRecord& race, report::Symbolizer& symbols,
          report::Names& names) {
  entry.confirmed = true;
  entry.line = report::race_line(race, symbols, names);
  entry.text = report::race_block(race, symbols, names, false);
  entry.object = names.object(race.address);
  entry.earlier = side_of(race.earlier, symbols, names);
  entry.later = side_of(race.later, symbols, names);
}

// What is known without a replay: the two places.
void fill(RaceEntry& entry, const Finding& finding, report::Symbolizer& symbols) {
  const auto place = [&](channel::CodeLocation location) {
    const uintptr_t pc = symbols.address_of(location);
    return pc == 0 ? symbols.where(location) : report::source(symbols.line_that_matters(pc));
  };
  entry.earlier.place = place(finding.end.race[0]);
  entry.later.place = place(finding.end.race[1]);
  entry.line = fmt::format("{} and {} (did not show again when it was replayed)",
                           entry.earlier.place, entry.later.place);
  entry.text = fmt::format("  {}\n", entry.line);
}

}  // namespace

void RaceList::add(Finding finding) {
  if (findings_.size() < kMostRaces) findings_.push_back(std::move(finding));
}

MaybeError RaceList::resolve(const ConfirmSetup& setup, const Suppressions& suppressions,
                             report::Symbolizer& symbols) {
  const Clock::time_point deadline = Clock::now() + kLongest;
  for (const Finding& finding : findings_) {
    RaceEntry entry;
    entry.key = channel::race_key(finding.end.race[0], finding.end.race[1]);
    entry.schedule_number = finding.schedule_number;
    if (Clock::now() < deadline) {
      Result<Execution> run = replay_finding(setup, finding, -1);
      if (!run) return run.error();
      const channel::RunRecord& record = run->record();
      for (const channel::RaceRecord& race : report::races(record)) {
        if (race.key != entry.key) continue;
        report::Symbolizer own(report::modules(*run->channel));
        if (suppressions.match(race, own)) {
          entry.key = 0;
          break;
        }
        report::Names names(record, own);
        fill(entry, race, own, names);
      }
    }
    if (entry.key == 0) {
      ++suppressed_;
      continue;
    }
    if (!entry.confirmed) fill(entry, finding, symbols);
    entries_.push_back(std::move(entry));
  }
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
