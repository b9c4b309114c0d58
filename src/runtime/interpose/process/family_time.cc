// SPDX-License-Identifier: Apache-2.0
// One time for all processes of a family: see scheduler/time/external.h.
//
// Each has a clock of its own, and they began as copies of one. A process that has nothing to do
// but to wait for a moment says so, and goes there only when all others wait, too, and none of them
// for an earlier one. What they do to each other is not seen by us: so a process that has done
// anything since it waited last makes all others look again before what they say counts.
#include "src/runtime/interpose/process/family.h"
#include "src/runtime/interpose/process/family_state.h"
#include "src/runtime/scheduler/time/external.h"

namespace jostle::rt {
namespace {

uint64_t g_events_when_waiting = 0;

FamilyMoment& own_moment() { return g_family->moments[g_family_number]; }

uint32_t members() {
  const uint32_t all = g_family->members + 1;
  return all < kMostProcesses ? all : kMostProcesses;
}

}  // namespace

uint64_t before_family_look() {
  if (!g_family) return 0;
  if (g_events_when_waiting != g_scheduler.total_events()) ++g_family->actions;
  g_events_when_waiting = g_scheduler.total_events();
  return g_family->actions;
}

void family_sleeps_until(int64_t time, uint64_t seen) {
  if (!g_family) return;
  FamilyMoment& own = own_moment();
  own.now = g_scheduler.now();
  own.seen = seen;
  own.sleeps_until = time;
}

void family_goes_on(int64_t now) {
  if (!g_family) return;
  own_moment().sleeps_until = 0;
  own_moment().now = now;
}

bool family_may_act_before(int64_t time) {
  if (!g_family) return false;
  if (g_family->members < g_family->expected) return true;
  for (uint32_t i = 0; i < members(); ++i) {
    FamilyMoment& other = g_family->moments[i];
    if (i == g_family_number) continue;
    if (other.sleeps_until >= time && other.seen >= g_family->actions) continue;
    if (g_family->processes[i] != 0 && has_ended(g_family->processes[i])) {
      // What it did last others have to look for, too.
      other.seen = UINT64_MAX;
      other.sleeps_until = kNever;
      ++g_family->actions;
    }
    return true;
  }
  return false;
}

bool family_is_complete() {
  return g_family && g_family->members == g_family->forks && g_family->executions == 0;
}

int64_t family_time() {
  int64_t latest = 0;
  for (uint32_t i = 0; g_family && i < members(); ++i) {
    const int64_t now = g_family->moments[i].now;
    if (now > latest) latest = now;
  }
  return latest;
}

void leave_family() {
  if (!g_family) return;
  ++g_family->executions;
  own_moment().sleeps_until = kNever;
  own_moment().seen = UINT64_MAX;
}

void return_to_family() {
  if (!g_family) return;
  own_moment().sleeps_until = 0;
  --g_family->executions;
}

}  // namespace jostle::rt
