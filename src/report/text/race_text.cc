// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/race_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/text/stack_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using channel::RaceAccess;
using channel::RaceRecord;

std::string_view verb(const RaceAccess& access, bool past) {
  if (access.frees) return past ? "freed" : "frees";
  if (access.writes) return past ? "wrote" : "writes";
  return past ? "read" : "reads";
}

std::string object_with_origin(uintptr_t address, Names& names) {
  std::string text = names.object(address);
  for (const channel::ObjectRecord& object : objects(names.record())) {
    if (object.address != address || object.region != channel::Region::heap) continue;
    text += fmt::format(", {}, allocated by {}", count(object.size, "byte"),
                        names.title(object.thread));
  }
  return text;
}

std::string_view lock_noun(OpKind kind) {
  switch (kind) {
    case OpKind::rwlock_read:
      return "read lock";
    case OpKind::rwlock_write:
      return "write lock";
    case OpKind::spin_lock:
      return "spin lock";
    case OpKind::once:
      return "once";
    default:
      return "mutex";
  }
}

// The frames, and the locks that were held.
std::string context_lines(const RaceAccess& access, Symbolizer& symbols, Names& names,
                          bool fold_libraries) {
  std::string text = stack_lines(stack_frames(access.stack, false, symbols), fold_libraries);
  const uint32_t held = std::min<uint32_t>(access.held_count, channel::kMaxHeldLocks);
  for (uint32_t i = 0; i < held; ++i) {
    const RaceAccess::Held& lock = access.held[i];
    text += fmt::format("    holds {} {} ({})\n", lock_noun(lock.kind), names.object(lock.object),
                        source(symbols.line_that_matters(lock.pc)));
  }
  return text;
}

std::string access_block(const RaceAccess& access, bool past, Symbolizer& symbols, Names& names,
                         bool fold_libraries) {
  return fmt::format("  {} {}{}{}{}\n", names.title(access.thread), past ? "before that " : "",
                     verb(access, past), access.frees ? "" : " " + count(access.size, "byte"),
                     access.atomic ? " atomically" : "") +
         context_lines(access, symbols, names, fold_libraries);
}

RaceSide describe_side(const RaceAccess& access, Symbolizer& symbols, Names& names) {
  const Frame frame = symbols.line_that_matters(access.stack);
  RaceSide side;
  side.access = race_access_kind(access);
  side.bytes = access.frees ? "" : count(access.size, "byte");
  side.past = verb(access, true);
  side.present = verb(access, false);
  side.thread = names.title(access.thread);
  side.function = frame.function;
  side.place = source(frame);
  side.line = frame.line == 0 ? frame.where : fmt::format("{}:{}", frame.file, frame.line);
  side.at = {frame.file, frame.line};
  side.stack = context_lines(access, symbols, names, true);
  side.frees = access.frees != 0;
  side.atomic = access.atomic != 0;
  return side;
}

}  // namespace

std::string race_access_kind(const RaceAccess& access) {
  if (access.frees) return "free";
  return fmt::format("{}{} of {}", access.atomic ? "atomic " : "", access.writes ? "write" : "read",
                     count(access.size, "byte"));
}

std::span<const RaceRecord> races(const channel::RunRecord& record) {
  return {record.races, std::min(record.race_count, channel::kMaxRaces)};
}

SeenRace describe_race(const RaceRecord& race, Symbolizer& symbols, Names& names) {
  SeenRace seen;
  seen.key = race.key;
  seen.object = names.object(race.address);
  seen.origin = object_with_origin(race.address, names);
  seen.earlier = describe_side(race.earlier, symbols, names);
  seen.later = describe_side(race.later, symbols, names);
  return seen;
}

std::string race_line(const RaceRecord& race, Symbolizer& symbols, Names& names) {
  return race_line(describe_race(race, symbols, names));
}

std::string race_block(const RaceRecord& race, Symbolizer& symbols, Names& names,
                       bool fold_libraries) {
  std::string text = access_block(race.later, false, symbols, names, fold_libraries) +
                     access_block(race.earlier, true, symbols, names, fold_libraries) +
                     fmt::format("  on {}\n", object_with_origin(race.address, names));
  return text;
}

}  // namespace jostle::report
