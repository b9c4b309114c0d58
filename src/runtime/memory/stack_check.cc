// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/stack_check.h"

#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap_failure.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT uintptr_t g_fibers_begin = 0;
JOSTLE_KEPT uintptr_t g_fibers_size = 0;
JOSTLE_KEPT uintptr_t g_main_stack_begin = 0;
JOSTLE_KEPT uintptr_t g_main_stack_size = 0;

namespace {

// Frames of ours between a hook and the switch. More than that, and something else is there.
constexpr uintptr_t kMostOfOurs = 16 * 1024;
constexpr uintptr_t kReturnAddress = 16;

bool contains(const Thread& t, uintptr_t address) {
  return address >= t.stack_begin && address < t.stack_end;
}

// Whose stack it is; the living first: stacks of those that have ended are used again.
const Thread* owner_of(uintptr_t address) {
  const Thread* ended = nullptr;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* t = g_scheduler.thread_at(id);
    if (!contains(*t, address)) continue;
    if (t->live) return t;
    if (t->finished) ended = t;
  }
  return ended;
}

// Below this the stack of a thread that does not run holds nothing of the program's. 0: not known.
uintptr_t lowest_in_use(const Thread& t) {
  const auto sp = reinterpret_cast<uintptr_t>(t.context.sp);
  if (!contains(t, sp)) return 0;
  const bool noted = t.pending.pc && t.pending.pc == t.hook_pc && !is_memory(t.pending.kind) &&
                     t.hook_frame > sp && t.hook_frame - sp < kMostOfOurs &&
                     contains(t, t.hook_frame);
  return noted ? t.hook_frame - kReturnAddress : sp;
}

// By the threads there are: a donor does not know who has had it since the program began.
bool is_thread_local_of_ended(uintptr_t address) {
  uint32_t user;
  if (!in_donor_tls(address, user)) return false;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* t = g_scheduler.thread_at(id);
    if (t->live && t->context.tp && in_static_tls(t->context.tp, address)) return false;
  }
  return true;
}

}  // namespace

void begin_stack_check(bool wanted) {
  g_fibers_size = g_main_stack_size = 0;
  if (!wanted || g_embedded) return;
  uintptr_t end;
  stack_reservation(g_fibers_begin, end);
  if (g_fibers_begin) g_fibers_size = end - g_fibers_begin;
  const MemoryUse donors = donor_memory();
  const auto donors_end = reinterpret_cast<uintptr_t>(donors.end);
  if (g_fibers_begin && donors_end > end) g_fibers_size = donors_end - g_fibers_begin;
  const Thread& main = *g_scheduler.thread_at(0);
  g_main_stack_begin = main.stack_begin;
  g_main_stack_size = main.stack_end - main.stack_begin;
}

void end_stack_check() { g_fibers_size = g_main_stack_size = 0; }

void check_stack_access(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc) {
  const Thread& self = *g_current;
  if (contains(self, address)) return;
  if (is_thread_local_of_ended(address)) {
    fail_heap_access("use of a thread_local (the thread has ended)", kind, address, size, pc);
  }
  const Thread* owner = owner_of(address);
  if (!owner || owner == &self || (owner->donor && !owner->stack.owned)) return;
  if (owner->finished) {
    if (owner->donor) {
      fail_heap_access("stack-use-after-return (the thread has ended)", kind, address, size, pc);
    }
    return;
  }
  if (address + size > lowest_in_use(*owner)) return;
  fail_heap_access("stack-use-after-return", kind, address, size, pc);
}

}  // namespace jostle::rt
