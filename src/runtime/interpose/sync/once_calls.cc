// SPDX-License-Identifier: Apache-2.0
// pthread_once, std::call_once of libc++. (That of libstdc++ calls pthread_once.)
//
// A call that finds it done is no scheduling point: once done it stays done, so that there is
// nothing to win by letting others run first.
#include <pthread.h>

#include <type_traits>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/sync/once.h"

using namespace jostle;
using namespace jostle::rt;

namespace jostle::rt {
namespace {

// Of libc++'s flag the program's own code looks whether it is done.
template <typename State>
void note_change([[maybe_unused]] State& state) {
  if constexpr (std::is_same_v<State, sync::OnceFlag>) note_written(&state);
}

// Runs the routine's bookkeeping to its end also when the routine is left by an exception or by a
// cancellation.
template <typename State>
class Run {
 public:
  Run(State& state, uintptr_t pc) : state_(state) {
    sync::begin(state_, me());
    note_change(state_);
    acted(Act::lock, &state_);
    acquired(&state_, OpKind::once, pc);
  }
  ~Run() {
    if (complete_) {
      sync::finish(state_);
    } else {
      sync::abandon(state_);
    }
    note_change(state_);
    acted(Act::unlock, &state_);
    released(&state_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  void complete() { complete_ = true; }

 private:
  State& state_;
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
template <typename State>
void forget_runner_of_parent(State& state) {
  if (sync::is_running(state) && !is_alive(sync::runner(state))) sync::abandon(state);
}

template <typename State, typename Routine>
void run_in(State& state, uintptr_t pc, Routine routine) {
  const Operation op = operation(OpKind::once, &state, pc);
  if (sync::is_done(state)) {
    g_scheduler.pass(op);
  } else {
    forget_runner_of_parent(state);
    g_scheduler.wait(op, [&state] { return !sync::is_running(state); });
  }
  if (sync::is_done(state)) {
    acted(Act::share, &state);
    g_races.acquire(&state);
    return;
  }
  Run<State> run(state, pc);
  routine();
  run.complete();
}

}  // namespace

int run_once(pthread_once_t* control, void (*routine)(), uintptr_t pc) {
  run_in(sync::state_of(control), pc, routine);
  return 0;
}

}  // namespace jostle::rt

JOSTLE_HOOK int pthread_once(pthread_once_t* control, void (*routine)()) {
  if (!controlled()) return REAL(pthread_once)(control, routine);
  return run_once(control, routine, CALLER());
}

JOSTLE_ALIAS(__pthread_once, pthread_once);

// std::call_once of libc++: the header looks whether the flag is all ones, by an atomic load, and
// calls this if not.
JOSTLE_HOOK void _ZNSt3__111__call_onceERVmPvPFvS2_E(volatile unsigned long* flag, void* argument,
                                                     void (*routine)(void*)) {
  if (!controlled()) {
    return REAL(_ZNSt3__111__call_onceERVmPvPFvS2_E)(flag, argument, routine);
  }
  run_in(*reinterpret_cast<sync::OnceFlag*>(const_cast<unsigned long*>(flag)), CALLER(),
         [=] { routine(argument); });
}
