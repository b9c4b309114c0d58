// SPDX-License-Identifier: Apache-2.0
// The compiler's thread-sanitizer hooks for plain memory accesses and function entry. The ABI is
// that of gcc 12 and clang 14 to 19 (tests/programs/hooks/SYMBOLS.txt lists what they emit).
#include "src/runtime/coverage/edges.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/callbacks.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/modules/modules.h"

using namespace jostle;
using namespace jostle::rt;

// As CALLER(), but for these hooks, which mostly return after a few instructions: the compiler
// makes a stack frame for its own __builtin_return_address on aarch64.
#if defined(__aarch64__)
#define CALLER_AT_ENTRY() link_register()
namespace {
inline __attribute__((always_inline)) uintptr_t link_register() {
  uintptr_t pc;
  asm volatile("mov %0, x30" : "=r"(pc));
  return pc;
}
}  // namespace
#else
#define CALLER_AT_ENTRY() CALLER()
#endif

namespace {

bool ask(Asks what, uintptr_t address, uintptr_t pc, OpKind kind, uint32_t size) {
  if (what == Asks::slow_path) return access_slow(address, pc, kind, size);
  access_visible(address, pc, kind, size);
  return true;
}

// A volatile access that is no plain one for the race detector. Everything else is as always, so
// that a schedule means the same with and without.
__attribute__((noinline)) void as_atomic(Asks what, uintptr_t address, uintptr_t pc, OpKind kind,
                                         uint32_t size) {
  const uintptr_t before = g_races.begin_volatile(pc);
  const bool is_point = ask(what, address, pc, kind, size);
  const bool reads = kind == OpKind::read;
  g_races.end_volatile(before, reads ? Races::Atomic::load : Races::Atomic::store, address,
                       is_point);
}

}  // namespace

// `kInOneCell`: of a size up to 8 and aligned to it, as the compiler promises.
#define HOOK(name, kWrites, kInOneCell, size)                                           \
  JOSTLE_HOOK void name(void* p) {                                                      \
    const auto address = reinterpret_cast<uintptr_t>(p);                                \
    const Asks what = asks<kWrites, kInOneCell>(address, size);                         \
    if (what == Asks::nothing) return;                                                  \
    /* Only here: loading the caller's address takes its time. */                       \
    const uintptr_t pc = CALLER_AT_ENTRY();                                             \
    constexpr OpKind kind = kWrites ? OpKind::write : OpKind::read;                     \
    if (what == Asks::scheduling_point) return access_visible(address, pc, kind, size); \
    access_slow(address, pc, kind, size);                                               \
  }
#define VOLATILE_HOOK(name, kWrites, kInOneCell, size)              \
  JOSTLE_HOOK void name(void* p) {                                  \
    const auto address = reinterpret_cast<uintptr_t>(p);            \
    const Asks what = asks<kWrites, kInOneCell>(address, size);     \
    if (what == Asks::nothing) return;                              \
    const uintptr_t pc = CALLER_AT_ENTRY();                         \
    constexpr OpKind kind = kWrites ? OpKind::write : OpKind::read; \
    if (g_races.volatile_is_atomic()) [[unlikely]]                  \
      return as_atomic(what, address, pc, kind, size);              \
    ask(what, address, pc, kind, size);                             \
  }
// One hook for "read and then write back": the program has already loaded the old value, so that
// what matters is the write that follows.
#define HOOKS_OF_SIZE(size, kAligned)                                     \
  HOOK(__tsan_read##size, false, kAligned, size)                          \
  HOOK(__tsan_write##size, true, kAligned, size)                          \
  HOOK(__tsan_read_write##size, true, kAligned, size)                     \
  VOLATILE_HOOK(__tsan_volatile_read##size, false, kAligned, size)        \
  VOLATILE_HOOK(__tsan_volatile_write##size, true, kAligned, size)        \
  HOOK(__tsan_unaligned_read##size, false, false, size)                   \
  HOOK(__tsan_unaligned_write##size, true, false, size)                   \
  HOOK(__tsan_unaligned_read_write##size, true, false, size)              \
  VOLATILE_HOOK(__tsan_unaligned_volatile_read##size, false, false, size) \
  VOLATILE_HOOK(__tsan_unaligned_volatile_write##size, true, false, size)

HOOKS_OF_SIZE(1, true)
HOOKS_OF_SIZE(2, true)
HOOKS_OF_SIZE(4, true)
HOOKS_OF_SIZE(8, true)
HOOKS_OF_SIZE(16, false)

// The variants with an explicit code address (used by other front ends).
#define PC_HOOKS_OF_SIZE(size)                                  \
  JOSTLE_HOOK void __tsan_read##size##_pc(void* p, void* pc) {  \
    read_access(p, size, reinterpret_cast<uintptr_t>(pc));      \
  }                                                             \
  JOSTLE_HOOK void __tsan_write##size##_pc(void* p, void* pc) { \
    write_access(p, size, reinterpret_cast<uintptr_t>(pc));     \
  }
PC_HOOKS_OF_SIZE(1)
PC_HOOKS_OF_SIZE(2)
PC_HOOKS_OF_SIZE(4)
PC_HOOKS_OF_SIZE(8)
PC_HOOKS_OF_SIZE(16)

JOSTLE_HOOK void __tsan_read_range(void* p, unsigned long size) {
  if (size) read_access(p, static_cast<uint32_t>(size), CALLER());
}
JOSTLE_HOOK void __tsan_write_range(void* p, unsigned long size) {
  if (size) write_access(p, static_cast<uint32_t>(size), CALLER());
}

JOSTLE_HOOK void __tsan_read_range_pc(void* p, unsigned long size, void* pc) {
  if (size) read_access(p, static_cast<uint32_t>(size), reinterpret_cast<uintptr_t>(pc));
}
JOSTLE_HOOK void __tsan_write_range_pc(void* p, unsigned long size, void* pc) {
  if (size) write_access(p, static_cast<uint32_t>(size), reinterpret_cast<uintptr_t>(pc));
}

JOSTLE_HOOK void __tsan_vptr_read(void** p) { read_access(p, sizeof *p, CALLER()); }
JOSTLE_HOOK void __tsan_vptr_update(void** p, void* value) {
  // A constructor or destructor that stores the value already there changes nothing. It is an event
  // all the same: a stack may hold the value by chance, from frames of ours, and so in one of two
  // runs that are otherwise equal.
  if (*p != value) {
    write_access(p, sizeof *p, CALLER());
  } else {
    read_access(p, sizeof *p, CALLER());
  }
}

JOSTLE_HOOK void __tsan_func_entry(void* caller) {
  if (Thread* t = g_current; t && controlled()) {
    const auto from = reinterpret_cast<uintptr_t>(caller);
    if (from - g_program_begin >= g_program_size || t->calls.frames() < t->watched_frames)
        [[unlikely]]
      may_be_callback(*t, CALLER(), from);
    t->calls.enter(from, reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa()));
    if (g_edges) [[unlikely]]
      note_function(CALLER());
    if (g_stops_at_entries) [[unlikely]]
      g_scheduler.enter_function(CALLER());
  }
}
JOSTLE_HOOK void __tsan_func_exit() {
  if (Thread* t = g_current; t && controlled()) {
    t->calls.leave();
    if (t->calls.frames() < t->exits_seen_below) [[unlikely]]
      function_returns(*t);
  }
}

JOSTLE_HOOK void __tsan_init() {}
