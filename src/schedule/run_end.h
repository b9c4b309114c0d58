// SPDX-License-Identifier: Apache-2.0
// How a run ended: the outcome, stacks, threads and objects at that moment, races, leaks.
#pragma once

#include <cstdint>

#include "src/schedule/code_location.h"
#include "src/schedule/operation.h"

namespace jostle::channel {

// The same for a race, whichever of its accesses comes first.
constexpr uint64_t race_key(CodeLocation a, CodeLocation b) {
  return combine(combine(19, a < b ? a : b), a < b ? b : a);
}

enum class Outcome : uint32_t {
  running,      // never got to an end: killed from outside
  exited,       // with `code`
  assertion,    // assert() failed: message, file, line, function
  aborted,      // abort()
  exception,    // terminate() with an exception in flight: message holds its type and what()
  signalled,    // fatal signal `code` at `address`
  deadlock,     // nothing enabled, somebody waiting
  livelock,     // all live threads spin or wait for ever
  step_limit,   // more than max_steps scheduling points (or max_events hooks)
  timed_out,    // real-time watchdog
  misuse,       // undefined use of a synchronisation object; message says which
  diverged,     // replay only: see Divergence
  unsupported,  // the target did what we cannot control; message says what
  stopped,      // the strategy wanted no more of it: no failure
  race,         // two accesses that nothing orders: Failure::race, the last of RunRecord::races
  heap_error,   // use after free, overflow, double or invalid free: at Failure::address; a leak
  cut_off,      // did not end within the default limits: no failure
  history,      // operations returned what no order of them does: RunRecord::history
  not_atomic,   // functions that were to look atomic do not: RunRecord::result_verdict
};

// Events from which on a run is called long.
inline constexpr uint64_t kLongRun = 1'000'000;

// For strategies: not so of runs that came to their end, or were ended for being long.
constexpr bool may_have_failed(Outcome outcome) {
  return outcome != Outcome::exited && outcome != Outcome::cut_off;
}

inline constexpr int kMaxStack = 48;

struct Stack {
  uint32_t depth;
  uint32_t innermost;       // bytes of the innermost frame; 0: not known
  uint64_t not_adjacent;    // bit i: between frame i and the one before it are frames of ours
  uintptr_t pc[kMaxStack];  // innermost first; return addresses except, after a signal, the first
  uintptr_t frame[kMaxStack];  // where the frame of each ends (its CFA); 0: not known
};

struct HeldLock {
  uintptr_t object;
  OpKind kind;  // mutex_lock, rwlock_read, rwlock_write, spin_lock, once
  uint8_t reserved[3];
  uint32_t count;
  Stack acquired_at;
};

inline constexpr int kMaxHeldLocks = 8;

enum class ThreadState : uint32_t {
  runnable,
  blocked,
  finished,
  stopped,  // for good, by a test of progress; it could go on
};

// A thread at the moment of a failure: every live one, and one that has ended when it took a lock
// with it that a live one waits for.
struct ThreadReport {
  uint32_t thread;  // index into the thread table
  ThreadState state;
  Operation pending;          // what it was about to do, or waits for
  uint32_t waits_for_thread;  // join, or the holder of the lock it wants; kNoThread: nobody
  uint32_t spins;             // 1: it only spins, and runs when nobody else can
  uint32_t held_count;
  uint32_t in_cycle;  // 1: part of the deadlock's cycle
  HeldLock held[kMaxHeldLocks];
  int64_t deadline;  // virtual time at which its wait ends by itself; INT64_MAX: never
  Stack stack;
};

// A process of a forked family in which nobody can go on, and what it waits for: the first thread
// of each that waits for something that another process could bring about.
// Of the lock that a thread waits for.
enum class FamilyHolder : uint32_t {
  unknown,
  holds,
  // A thread of its parent held it when the process was forked, which has got a copy of the lock
  // and not of the thread.
  held_at_fork,
};
struct FamilyWait {
  uint32_t process;  // 0: the program itself, else the n-th that it, or a child, has forked
  uint32_t thread;   // of that process
  Operation pending;
  FamilyHolder held;
  uint32_t holder_process, holder_thread;  // unless it is nobody's
};
inline constexpr uint32_t kMaxFamilyWaits = 16;

// Where an address of the report lives, when the runtime knows better than the symbol table.
enum class Region : uint32_t { unknown, heap, stack, thread_local_storage, mapping };
struct ObjectRecord {
  uintptr_t address;
  Region region;
  uint32_t thread;    // heap, mapping: who allocated it; stack and thread_local_storage: whose
  uint64_t offset;    // into the block; behind or (modulo 2^64) before it when it belongs to none
  uint64_t size;      // of the block
  uint32_t freed;     // heap: already freed
  uint32_t freed_by;  // by whom; kNoThread: not known
  uint64_t freed_event;  // the number of the operation that `freed_by` was about to do then
  uint32_t by_others;    // stack: threads that it does not belong to have used it in this call
  Stack allocated_at;
  Stack freed_at;
};

struct Failure {
  Outcome outcome;
  int32_t code;  // exit status or signal number
  uint32_t thread;
  uint32_t line;
  uint64_t steps;
  uintptr_t address;  // faulting address, or the object that was misused
  char message[1024];
  char file[512];
  char function[512];
  Stack stack;
  CodeLocation race[2];  // where the two accesses are
};

// One of the two accesses of a data race.
struct RaceAccess {
  uint32_t thread;  // index into the thread table
  uint32_t size;    // bytes, of at most eight in a row
  uint8_t writes, atomic, frees, reserved;
  uint32_t held_count;
  struct Held {
    uintptr_t object;
    uintptr_t pc;  // where it was taken
    OpKind kind;
    uint8_t reserved[7];
  } held[kMaxHeldLocks];
  uintptr_t pc;
  Stack stack;  // of instrumented functions; only `pc` unless recording
};

struct RaceRecord {
  uint64_t key;  // race_key of the two places
  CodeLocation places[2];
  uintptr_t address;  // the first byte that both touch
  RaceAccess earlier, later;
};
inline constexpr uint32_t kMaxRaces = 256;

// Blocks of one place in the program that nobody freed and nobody can reach any more.
struct LeakRecord {
  uint64_t blocks, bytes;
  uint32_t thread;  // who allocated the first of them
  uint32_t reserved;
  Stack allocated_at;  // of the first; only the place itself unless recording
};
inline constexpr uint32_t kMaxLeaks = 256;

struct Divergence {
  uint64_t segment;  // index into the input's segments
  uint64_t step;
  uint32_t thread;
  OpKind expected_kind, actual_kind;
  uint16_t reserved;
  uint64_t expected_event, actual_event;
  CodeLocation expected_location, actual_location;
  char what[256];  // one sentence
};

inline constexpr uint32_t kMaxThreadReports = 4096;
inline constexpr uint32_t kMaxObjectRecords = 8192;
inline constexpr uint32_t kMaxFirstStacks = 512;

}  // namespace jostle::channel
