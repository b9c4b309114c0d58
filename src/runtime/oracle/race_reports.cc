// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/race_reports.h"

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/memory/target_hub.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/oracle/deadlock.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/locale_objects.h"
#include "src/runtime/oracle/race_contexts.h"

namespace jostle::rt {
namespace {

// Pairs of places that came up in this run, by their low bits.
struct KnownPair {
  uintptr_t a, b;
  uint32_t run;
};
constexpr uint32_t kKnownPairs = 1 << 10;
JOSTLE_KEPT KnownPair* g_known = nullptr;

JOSTLE_KEPT channel::Channel* g_channel = nullptr;
JOSTLE_KEPT bool g_recording = false;
JOSTLE_KEPT uint32_t g_run = 0;
JOSTLE_KEPT constinit RaceContexts g_contexts;

// Code that was not instrumented may order its accesses by atomics that we do not see. The C++
// library's are known to be all right. What it keeps in variables of its own (characters that a
// locale has narrowed before) is no program's business.
bool is_wanted(const race::Access& access) {
  return (is_instrumented_code(access.pc) || is_cxx_library(access.pc)) &&
         !is_cxx_library(access.address) && !is_benign(access.address) &&
         !is_remembered_by_locale(access.address);
}

// An access is looked at before it is made, and may fault instead: then a handler of the program's
// deals with it (or the program dies of it), and there is no access.
bool can_be_made(const race::Access& access) {
  if (access.kind & race::kFree) return true;
  char byte;
  return access.kind & race::kWrite ? is_writable(access.address)
                                    : safe_read(access.address, &byte, 1);
}

void describe(const race::Access& access, channel::RaceAccess& to) {
  to.thread = access.thread;
  to.size = access.size;
  to.writes = (access.kind & race::kWrite) != 0;
  to.atomic = (access.kind & (race::kAtomic | race::kVolatile)) == race::kAtomic;
  to.frees = (access.kind & race::kFree) != 0;
  to.pc = access.pc;
  g_contexts.describe(g_recording ? access.context : 0, access.pc, to);
}

}  // namespace

void begin_race_reports(channel::Channel& channel) {
  g_channel = &channel;
  g_recording = channel.config.record != 0;
  if (!(channel.config.checks & channel::kCheckRace)) return;
  if (!g_known) {
    g_known = static_cast<KnownPair*>(engine_allocate(kKnownPairs * sizeof(KnownPair)));
    find_locale_caches();
  }
  ++g_run;
  if (g_recording) g_contexts.clear();
}

uint32_t context_of_access(const Thread& thread, uintptr_t pc) {
  return g_contexts.add(thread, pc);
}

void race_found(const race::Access& earlier, const race::Access& later) {
  if (!g_races.may_race(earlier.pc, later.pc)) return;
  KnownPair& known = g_known[(earlier.pc >> 2 ^ later.pc >> 1) % kKnownPairs];
  if (known.run == g_run && known.a == earlier.pc && known.b == later.pc) return;
  if (!can_be_made(later)) return;
  known = {earlier.pc, later.pc, g_run};
  if (!is_wanted(earlier) || !is_wanted(later)) return;
  channel::RunRecord& run = g_channel->record;
  const channel::Config& config = g_channel->config;
  const channel::CodeLocation places[] = {code_location(earlier.pc), code_location(later.pc)};
  const uint64_t key = channel::race_key(places[0], places[1]);
  const bool fails = config.mode == channel::Mode::replay
                         ? key == config.expected_race
                         : ((config.mode == channel::Mode::fuzz || g_embedded) &&
                            config.fail_on & channel::kCheckRace);
  if (g_hub && g_hub->suppressed.contains(key)) return;
  if (!fails && g_hub && g_hub->races.contains(key)) return;
  uint32_t index = 0;
  while (index < run.race_count && run.races[index].key != key) ++index;
  if (index < run.race_count || index == channel::kMaxRaces) return;
  channel::RaceRecord& race = run.races[index];
  race.key = key;
  race.places[0] = places[0];
  race.places[1] = places[1];
  race.address = later.address;
  describe(earlier, race.earlier);
  describe(later, race.later);
  if (g_recording) {
    describe_race_object(run, race.address);
    for (const channel::RaceAccess* side : {&race.earlier, &race.later}) {
      for (uint32_t i = 0; i < side->held_count; ++i)
        describe_race_object(run, side->held[i].object);
    }
  }
  run.race_count = index + 1;
  if (fails) fail_race(race);
}

}  // namespace jostle::rt
