// SPDX-License-Identifier: Apache-2.0
// Where a debugger finds our threads, which are fibers: to it there is only one thread that runs.
// The commands of `jostle replay --gdb` (src/cli/debugger/gdb_commands.py) read them in memory.
// They call no function of the program: for that gdb saves and restores all registers, which gdb 13
// cannot do on processors with AMX.
#include <cstddef>

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// The fields of gdb_commands.py's VIEW, in their order.
struct DebuggerView {
  const void* threads;                                 // where the address of the table is
  const void* slots;                                   // where it is said how many it has
  const void* current;                                 // where the address of the one that runs is
  size_t index, live, sp, kind, object, place, start;  // in a thread

  static constexpr DebuggerView of_scheduler();
};

constexpr DebuggerView DebuggerView::of_scheduler() {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // conditionally supported, by both compilers
  return {.threads = g_scheduler.table_.where_data_is(),
          .slots = &g_scheduler.slots_used_,
          .current = &g_fast_path.current,
          .index = offsetof(Thread, index),
          .live = offsetof(Thread, live),
          .sp = offsetof(Thread, context) + offsetof(Context, sp),
          .kind = offsetof(Thread, pending) + offsetof(Operation, kind),
          .object = offsetof(Thread, pending) + offsetof(Operation, object),
          .place = offsetof(Thread, pending) + offsetof(Operation, pc),
          .start = offsetof(Thread, start)};
#pragma GCC diagnostic pop
}

}  // namespace jostle::rt

extern "C" __attribute__((visibility("default"),
                          used)) constinit const jostle::rt::DebuggerView jostle_debugger_view =
    jostle::rt::DebuggerView::of_scheduler();
