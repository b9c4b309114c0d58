// SPDX-License-Identifier: Apache-2.0
// Threads that spin are put aside until something is written.
#include "src/base/check.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/fairness/recent_reads.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

void Scheduler::saw(const Operation& op, uint64_t value) {
  Thread& t = *current_;
  if (g_recent_reads.wanted()) [[unlikely]]
    g_recent_reads.add(t.index, op, value);
  if (decides_all_) {
    if (!is_about_lock(op.kind)) note_read(t, op, value);
  } else if (t.spin.read(op.pc, op.object, value)) {
    put_aside(t);
  }
}

void Scheduler::put_aside(Thread& t) {
  if (t.aside) return;
  JOSTLE_CHECK(t.live);
  if (g_actions.active()) g_actions.gap(TrailGap::spinning, t.pending.pc);
  t.aside = true;
  ++spinners_;
  eligible_.erase(t.id);
}

void Scheduler::let_spinners_look() {
  fruitless_ = 0;
  watches_all_ = false;
  if (spinners_ == 0) return;
  for (ThreadId id = 0; id < slots_used_; ++id) {
    Thread* t = table_[id];
    if (!t->aside) continue;
    t->aside = false;
    t->stillness.disturb();
    t->spin.progress();
    if (is_enabled(*t)) eligible_.insert(t->id);
    JOSTLE_CHECK(spinners_ != 0);
    JOSTLE_CHECKED(--spinners_);
  }
  JOSTLE_CHECKED(JOSTLE_CHECK_EQ(spinners_, 0));
  spinners_ = 0;
}

}  // namespace jostle::rt
