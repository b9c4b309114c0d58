// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/race_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// Of the accesses that race with one free, so many are shown.
constexpr size_t kFirstFew = 3;

bool has_free(const SeenRace& race) { return race.earlier.frees || race.later.frees; }
const RaceSide& freeing(const SeenRace& race) {
  return race.later.frees ? race.later : race.earlier;
}
const RaceSide& other_than_freeing(const SeenRace& race) {
  return race.later.frees ? race.earlier : race.later;
}

// Races with the same key are one entry. One line of the source is in many functions when it is a
// template's, but it is fixed once.
std::string entry_key(const SeenRace& race) {
  if (has_free(race)) return "free " + freeing(race).line;
  const auto [first, second] = std::minmax(race.earlier.line, race.later.line);
  return first + " " + second;
}

std::string side_text(const RaceSide& side, bool past) {
  return fmt::format("{} {}{} ({})", side.thread, past ? side.past : side.present,
                     side.atomic ? " atomically" : "", side.place);
}

// Where a member begins. What follows the last " of ", a file or a function, has none.
size_t end_of_whole(const std::string& object) {
  const size_t end = std::min(object.find_first_of(".[+"), object.find("->"));
  return end < object.rfind(" of ") ? end : std::string::npos;
}

// What is behind the name of the whole object: "[1].balance".
std::string member_of(const std::string& object) {
  const size_t end = end_of_whole(object);
  return end == std::string::npos ? "" : object.substr(end, object.find(" of ", end) - end);
}

bool same_access(const SeenRace& a, const SeenRace& b) {
  return other_than_freeing(a).line == other_than_freeing(b).line;
}

void add_to(RaceEntry& entry, const SeenRace& race) {
  const std::string whole = whole_object(race.object);
  if (whole != whole_object(entry.race.object) &&
      std::find(entry.also.begin(), entry.also.end(), whole) == entry.also.end()) {
    entry.also.push_back(whole);
  }
  const auto known = [&](const SeenRace& other) { return same_access(other, race); };
  if (!has_free(race) || known(entry.race) ||
      std::any_of(entry.accesses.begin(), entry.accesses.end(), known)) {
    entry.same.push_back(race.key);
  } else {
    entry.accesses.push_back(race);
  }
}

// A container's name says more than the block that it has allocated.
bool has_name(const SeenRace& race) { return !whole_object(race.object).starts_with("heap block"); }

std::string pair_text(const SeenRace& race) {
  return side_text(race.earlier, true) + ", " + side_text(race.later, false);
}

std::string wrapped(size_t indent, const std::string& text, size_t columns) {
  const std::string spaces(indent, ' ');
  return spaces + wrap(text, columns - indent, spaces + "    ") + "\n";
}

std::string more_accesses(const RaceEntry& entry, size_t indent, size_t columns) {
  std::string text;
  const size_t shown = std::min(entry.accesses.size(), kFirstFew - 1);
  for (size_t i = 0; i < shown; ++i) {
    const SeenRace& race = entry.accesses[i];
    const bool past = !race.earlier.frees;
    text += wrapped(indent, "also " + side_text(other_than_freeing(race), past), columns);
  }
  if (entry.accesses.size() > shown) {
    text += wrapped(indent, fmt::format("and {} more", entry.accesses.size() - shown), columns);
  }
  return text;
}

std::string side_block(const RaceSide& side, bool past) {
  return fmt::format("  {} {}{}{}{}{}\n{}", side.thread, past ? "before that " : "",
                     past ? side.past : side.present, side.bytes.empty() ? "" : " ", side.bytes,
                     side.atomic ? " atomically" : "", side.stack);
}

std::string entry_text(const RaceEntry& entry) {
  const SeenRace& race = entry.race;
  std::string text = "data race on " + race_line(race) + "\n";
  if (race.schedule_number != 0) {
    text += fmt::format("  first seen in schedule {}\n", thousands(race.schedule_number));
  }
  text += side_block(race.later, false) + side_block(race.earlier, true) +
          fmt::format("  on {}\n", race.origin);
  if (!entry.also.empty()) {
    text += fmt::format("  the same lines also race on {}\n", fmt::join(entry.also, ", "));
  }
  for (size_t i = 0; i < entry.accesses.size(); ++i) {
    const SeenRace& more = entry.accesses[i];
    const bool past = !more.earlier.frees;
    const RaceSide& side = other_than_freeing(more);
    // The stacks of the first few; where the others are.
    text += i + 1 < kFirstFew ? "  the same free also races with\n" + side_block(side, past)
                              : fmt::format("  and with {}\n", side_text(side, past));
  }
  return text + "\n";
}

}  // namespace

std::string whole_object(const std::string& object) {
  constexpr std::string_view kFreed = "freed ";
  std::string name = object.starts_with(kFreed) ? object.substr(kFreed.size()) : object;
  const size_t end = end_of_whole(name);
  if (end == std::string::npos || end == 0) return name;
  const size_t of = name.find(" of ", end);
  return name.substr(0, end) + (of == std::string::npos ? "" : name.substr(of));
}

std::vector<RaceGroup> group_races(const std::vector<SeenRace>& seen) {
  std::vector<std::vector<SeenRace>> alike;  // what is one entry
  std::map<std::string, size_t> entries;
  for (const SeenRace& race : seen) {
    const auto [known, is_new] = entries.try_emplace(entry_key(race), alike.size());
    if (is_new) alike.emplace_back();
    alike[known->second].push_back(race);
  }
  std::vector<RaceGroup> groups;
  for (std::vector<SeenRace>& races : alike) {
    const auto best = std::find_if(races.begin(), races.end(), has_name);
    if (best != races.end()) std::rotate(races.begin(), best, best + 1);
    const std::string object = whole_object(races[0].object);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const RaceGroup& other) { return other.object == object; });
    if (group == groups.end()) group = groups.insert(groups.end(), {object, {}});
    RaceEntry& entry = group->entries.emplace_back(RaceEntry{races[0], {}, {}});
    std::for_each(races.begin() + 1, races.end(),
                  [&](const SeenRace& race) { add_to(entry, race); });
  }
  return groups;
}

std::string race_line(const SeenRace& race) { return race.object + ": " + pair_text(race); }

std::string race_lines(const std::vector<RaceGroup>& groups, size_t most, size_t columns) {
  std::string text;
  size_t shown = 0, all = 0;
  for (const RaceGroup& group : groups) {
    all += group.entries.size();
    const bool alone = group.entries.size() == 1;
    if (!alone && shown < most) text += wrapped(2, group.object, columns);
    for (const RaceEntry& entry : group.entries) {
      if (shown == most) break;
      ++shown;
      const std::string member = member_of(entry.race.object);
      const std::string inside = member.empty() ? "" : member + ": ";
      text += alone ? wrapped(2, race_line(entry.race), columns)
                    : wrapped(4, inside + pair_text(entry.race), columns);
      text += more_accesses(entry, alone ? 4 : 6, columns);
    }
  }
  if (all > shown) text += fmt::format("  … {} more\n", all - shown);
  return text;
}

std::string race_texts(const std::vector<RaceGroup>& groups) {
  std::string text;
  for (const RaceGroup& group : groups) {
    for (const RaceEntry& entry : group.entries) text += entry_text(entry);
  }
  return text;
}

}  // namespace jostle::report
