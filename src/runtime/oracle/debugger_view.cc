// SPDX-License-Identifier: Apache-2.0
// What a debugger asks about our threads, which are fibers: to it there is only one thread that
// runs. The commands of `jostle replay --gdb` (src/cli/debugger/gdb_commands.py) call this
// function.
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

enum Field { kIndex, kStackPointer, kIsCurrent, kOperation, kObject, kPlace, kStart, kFields };

}  // namespace
}  // namespace jostle::rt

// The live thread in this slot, as numbers: see Field. An index of UINT64_MAX: the slot is empty;
// null: there is no such slot.
extern "C" __attribute__((visibility("default"))) const uint64_t* jostle_debugger_thread(
    uint64_t slot) {
  using namespace jostle::rt;
  static uint64_t fields[kFields];
  if (!g_current || slot >= g_scheduler.table_size()) return nullptr;
  const Thread* thread = g_scheduler.thread_at(static_cast<jostle::ThreadId>(slot));
  if (!thread || !thread->live) {
    fields[kIndex] = UINT64_MAX;
    return fields;
  }
  fields[kIndex] = thread->index;
  fields[kStackPointer] = reinterpret_cast<uint64_t>(thread->context.sp);
  fields[kIsCurrent] = thread == g_current;
  // Names of operations are literals, and so end in a zero.
  fields[kOperation] = reinterpret_cast<uint64_t>(jostle::name(thread->pending.kind).data());
  fields[kObject] = thread->pending.object;
  fields[kPlace] = thread->pending.pc;
  fields[kStart] = reinterpret_cast<uint64_t>(thread->start);
  return fields;
}
