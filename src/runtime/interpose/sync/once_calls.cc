// SPDX-License-Identifier: Apache-2.0
// pthread_once.
//
// A call that finds it done is no scheduling point: once done it stays done, so that there is
// nothing to win by letting others run first.
#include <pthread.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/sync/once.h"

using namespace jostle;
using namespace jostle::rt;

namespace jostle::rt {
namespace {

// Runs the routine's bookkeeping to its end also when the routine is left by an exception or by a
// cancellation.
class Run {
 public:
  Run(pthread_once_t* control, uintptr_t pc) : control_(control) {
    sync::begin(sync::state_of(control), me());
    acted(Act::lock, control);
    acquired(control, OpKind::once, pc);
  }
  ~Run() {
    if (complete_) {
      sync::finish(sync::state_of(control_));
    } else {
      sync::abandon(sync::state_of(control_));
    }
    acted(Act::unlock, control_);
    released(control_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  void complete() { complete_ = true; }

 private:
  pthread_once_t* control_;
  bool complete_ = false;
};

bool is_alive(sync::Owner who) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live && sync::owner_with_index(thread->index) == who) return true;
  }
  return false;
}

// After a fork the thread that ran the routine exists in the parent only: it has to be done again.
void forget_runner_of_parent(sync::Once& once) {
  if (sync::is_running(once) && !is_alive(sync::runner(once))) sync::abandon(once);
}

}  // namespace

int run_once(pthread_once_t* control, void (*routine)(), uintptr_t pc) {
  sync::Once& state = sync::state_of(control);
  const Operation op = operation(OpKind::once, control, pc);
  if (sync::is_done(state)) {
    g_scheduler.pass(op);
  } else {
    forget_runner_of_parent(state);
    g_scheduler.wait(op, [&state] { return !sync::is_running(state); });
  }
  if (sync::is_done(state)) {
    acted(Act::share, control);
    g_races.acquire(control);
    return 0;
  }
  Run run(control, pc);
  routine();
  run.complete();
  return 0;
}

}  // namespace jostle::rt

JOSTLE_HOOK int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (!controlled()) return REAL(pthread_once)(control, routine);
  return run_once(control, routine, CALLER());
}

JOSTLE_ALIAS(__pthread_once, pthread_once);
