// SPDX-License-Identifier: Apache-2.0
// Function-local statics that several threads may initialise: the compiler's code tests the guard's
// first byte and calls these when it is not set.
#include <cstdint>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/sync/sync_calls.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/sync/once.h"

using namespace jostle;
using namespace jostle::rt;

// The ABI's type is a 64-bit integer.
JOSTLE_HOOK int __cxa_guard_acquire(uint64_t* object);
JOSTLE_HOOK void __cxa_guard_release(uint64_t* object);
JOSTLE_HOOK void __cxa_guard_abort(uint64_t* object);

namespace {

sync::Guard& guard_at(uint64_t* object) { return *reinterpret_cast<sync::Guard*>(object); }

}  // namespace

int __cxa_guard_acquire(uint64_t* object) {
  if (!controlled()) return REAL(__cxa_guard_acquire)(object);
  sync::Guard& guard = guard_at(object);
  if (sync::is_done(guard)) {
    g_races.acquire(object);
    return 0;
  }
  if (sync::runner(guard) == me()) {
    misuse(object, "recursive initialisation: a function-local static needs itself");
  }
  const uintptr_t pc = CALLER();
  g_scheduler.wait(operation(OpKind::once, object, pc),
                   [&guard] { return !sync::is_running(guard); });
  if (sync::is_done(guard)) {
    acted(Act::share, object);
    g_races.acquire(object);
    return 0;
  }
  sync::begin(guard, me());
  note_written(object);  // some compilers test all of it, by an atomic load
  acted(Act::lock, object);
  acquired(object, OpKind::once, pc);
  return 1;
}

void __cxa_guard_release(uint64_t* object) {
  if (!controlled()) return REAL(__cxa_guard_release)(object);
  g_scheduler.reach(operation(OpKind::once, object, CALLER()));
  sync::finish(guard_at(object));
  note_written(object);
  acted(Act::unlock, object);
  released(object);
}

void __cxa_guard_abort(uint64_t* object) {
  if (!controlled()) return REAL(__cxa_guard_abort)(object);
  sync::abandon(guard_at(object));
  note_written(object);
  acted(Act::unlock, object);
  released(object);
}
