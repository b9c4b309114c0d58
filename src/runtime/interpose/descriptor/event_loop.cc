// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/event_loop.h"

#include "src/base/engine_memory.h"
#include "src/runtime/interpose/descriptor/io_fault.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/time/hold_up.h"

namespace jostle::rt {
namespace {

// So often a ready descriptor may be passed over in a row. Enough for every order of a handful of
// callbacks, too few to starve anybody.
constexpr uint8_t kMostPassedOver = 6;

bool g_plain = false;
RunVector<uint8_t> g_passed_over;  // by descriptor number
RunVector<uintptr_t> g_sites;      // where the program's own code has waited; few

}  // namespace

void begin_event_loops(const channel::Config& config, const channel::Schedule* replayed) {
  g_plain = config.plain_events != 0;
  bool faults = config.io_faults != 0;
  if (replayed) {
    g_plain = !has_choice(*replayed, ChoiceKind::ready) && !has_choice(*replayed, ChoiceKind::late);
    faults = has_choice(*replayed, ChoiceKind::fault);
  }
  begin_io_faults(faults);
}

bool is_loop_wait(uintptr_t pc, size_t descriptors) {
  if (g_plain) return false;
  if (!is_instrumented_code(pc)) return descriptors >= 2;
  for (const uintptr_t site : g_sites) {
    if (site == pc) return descriptors >= 2;
  }
  g_sites.push_back(pc);
  return false;
}

bool events_are_plain() { return g_plain; }

Moment choose_moment(const ReadyNames& ready, Nanoseconds deadline, bool may_report_nothing) {
  const Nanoseconds now = g_scheduler.now();
  if (deadline <= now || deadline - now >= kShortestGuard) return Moment::now;
  switch (g_scheduler.choose_late(ready.names, ready.count, may_report_nothing ? 3 : 2)) {
    case 0:
      return Moment::now;
    case 1:
      return Moment::late;
    default:
      return Moment::timed_out;
  }
}

bool is_overdue(int fd) {
  const auto i = static_cast<size_t>(fd);
  return i < g_passed_over.size() && g_passed_over[i] >= kMostPassedOver;
}

void note_reported(int fd) { forget_passed_over(fd); }

void note_passed_over(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i >= g_passed_over.size()) g_passed_over.resize(i + 1);
  if (g_passed_over[i] < kMostPassedOver) ++g_passed_over[i];
}

void forget_passed_over(int fd) {
  const auto i = static_cast<size_t>(fd);
  if (i < g_passed_over.size()) g_passed_over[i] = 0;
}

}  // namespace jostle::rt
