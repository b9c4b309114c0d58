// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/fairness/overtaking.h"

#include "src/runtime/scheduler/scheduler.h"
#include "src/schedule/starvation.h"

namespace jostle::rt {
namespace {

constexpr bool gets_something(OpKind kind) {
  constexpr uint64_t kBits = op_bits({OpKind::mutex_lock, OpKind::rwlock_read, OpKind::rwlock_write,
                                      OpKind::sem_wait, OpKind::spin_lock});
  return kBits >> (static_cast<unsigned>(kind) & 63) & 1;
}

}  // namespace

JOSTLE_KEPT constinit Overtaking g_overtaking;

void Overtaking::begin_run(const channel::Config& config) {
  active_ = (config.checks & channel::kCheckStarvation) != 0;
  limit_ = static_cast<uint32_t>(channel::starvation_limit(config));
  times_.clear();
}

void Overtaking::wait_begins(const Thread& thread) {
  if (thread.id < times_.size()) times_[thread.id] = 0;
}

uint32_t Overtaking::times(const Thread& thread) const {
  return thread.id < times_.size() ? times_[thread.id] : 0;
}

Thread* Overtaking::executes(Scheduler& scheduler, const Thread& next) {
  if (!gets_something(next.pending.kind)) return nullptr;
  Thread* starved = nullptr;
  for (Thread* t = scheduler.next_pending_on(next.pending.object, nullptr); t;
       t = scheduler.next_pending_on(next.pending.object, t)) {
    if (t == &next || scheduler.is_enabled(*t)) continue;
    if (t->id >= times_.size()) times_.resize(t->id + 1);
    if (++times_[t->id] > limit_) starved = t;
  }
  return starved;
}

Thread* Overtaking::most_overtaken(Scheduler& scheduler) const {
  Thread* most = nullptr;
  for (ThreadId id = 0; id < scheduler.table_size(); ++id) {
    Thread* t = scheduler.thread_at(id);
    if (!t || !t->live || scheduler.is_enabled(*t) || times(*t) == 0) continue;
    if (!most || times(*t) > times(*most)) most = t;
  }
  return most;
}

}  // namespace jostle::rt
