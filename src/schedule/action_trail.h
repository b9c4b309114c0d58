// SPDX-License-Identifier: Apache-2.0
// What a run did, step by step, for who has to know whether the order of two steps matters.
//
// A step is what a thread does between two decisions: it executes the operation in front of which
// it stood, and goes on to the next. Its parts are all it did to what others can see. Steps and
// parts have names that are the same in every run. The runtime writes (memory/actions.h), a
// strategy reads: during the run, or after it when that had a process of its own; so this lies in
// shared memory.
#pragma once

#include <cstdint>

#include "src/schedule/act.h"
#include "src/schedule/operation.h"
#include "src/schedule/waiting_loops.h"

namespace jostle {

// Acts that matter only to programs in which one of them is a write: who never reads the clock,
// whose last thread does not end the program, or who cancels nobody, has no orders by them.
enum class Matters : uint8_t {
  always,
  with_clock,        // read by the program (write), by a wait (read), put forward (post)
  with_last_thread,  // a thread ends, as the last (write) or not (update)
  with_cancels,      // a thread is cancelled (write), or looks whether it was (read)
};
inline constexpr uint32_t kMattersKinds = 4;

// One act on one object: synchronisation, or memory within eight bytes.
struct TrailPart {
  uint64_t granule;  // name of the eight bytes in which it lies
  uint8_t offset;    // in them
  uint8_t size;      // offset + size <= 8
  Act act;
  bool took_effect;
  bool compares;  // a compare-exchange, with `operand`
  bool is_apart;  // no memory of the program: the queue of a futex, the clock
  bool is_weak;   // an atomic operation with weak memory: what it read is in `graph`
  Matters matters;
  uint64_t operand;  // of a compare-exchange; of signal, expel: path of that thread
  uint64_t before, after;
  uint64_t condition;  // of an await: the state of its thread, see WaitingLoops
};

struct TrailChoice {
  uint32_t alternatives;
  uint32_t taken;
  bool is_of_memory;
};

inline constexpr uint32_t kNoStep = UINT32_MAX;
// Instead of a step: all until then, TrailStep::enabled_after.
inline constexpr uint32_t kAllSteps = UINT32_MAX - 1;

struct TrailStep {
  uint64_t path;           // of its thread
  uint32_t enabler;        // the step without which the thread could not have gone on
  uint32_t enabled_after;  // with kAllSteps: so many steps, when time passed
  OpKind kind;
  uint32_t first_part, part_count;
  uint32_t first_choice, choice_count;
  uintptr_t pc;
  bool is_in_vain;  // a round of a loop that waits: as if it had not happened
};

// Why not all that happened is in the trail, or in an order that was not decided.
enum class TrailGap : uint32_t {
  none,
  too_long,    // no room
  signals,     // a thread got a signal, or was cancelled
  processes,   // of the program's own
  time,        // passed for a waiting thread because others were busy for long
  time_outs,   // of waits struck more often in a run than is tried
  timers,      // expired
  spinning,    // a loop that waits was not understood
  turns,       // a thread got its turn although the strategy would not have it
  writers,     // a read-write lock prefers those that wait to write
  library,     // that is not instrumented has threads, or lets them wait, in its own way
  stale,       // reads: stores that threads see late
  histories,   // of atomics are longer than what is kept of them
  sizes,       // of the accesses to an atomic differ, or are large: only the newest store is read
  streams,     // are locked by threads: whoever prints has to wait
  inputs,      // drawn from too many values to try all
  not_judged,  // results of a test's operations: too many orders, or nobody to ask
  stopped,     // threads were, by a test of progress
  differs,     // a run did not do what it did before under the same decisions
  lost,        // a run could not do what other runs had shown to be possible
};

// Time-outs of a thread in one run that are choices; with more of them it has a gap.
inline constexpr uint32_t kMostTimeOuts = 8;

// Waits of one run that end without a signal; with more it would have to be assumed that loops end.
inline constexpr uint32_t kMostSpurious = 4;

// What runs were spared, one bit each.
enum Assumption : uint32_t {
  kTimeoutsAreLate = 1 << 0,      // time-outs strike only when nobody else can go on
  kTimersOnTime = 1 << 1,         // event loops learn at once that their time is up
  kWaitsNeedSignals = 1 << 2,     // no wait ends without one
  kComparesNeedReasons = 1 << 3,  // compare_exchange_weak fails only for another value
  kFewSpurious = 1 << 4,          // not more than kMostSpurious waits end without a signal
  kFewFailures = 1 << 5,          // … and not more comparisons fail without a reason
  kOrdersAreStrong = 1 << 6,      // atomic operations weaker than seq_cst are as if they were not
  kEndsComeAtOnce = 1 << 7,   // who asks whether a thread is over finds it so behind its last act
  kCallsAreNoSteps = 1 << 8,  // calls that change settings of the process
  // what is in a file, or shared with others, is in one place only: not mapped twice, nor written
  // as a file
  kMappingsAreApart = 1 << 9,
};

// Atomic variables at which a sequentially consistent load has changed what later ones may read:
// there all of these depend on each other. By name, and kept over the campaign.
struct RaisedFloors {
  static constexpr uint32_t kMost = 1 << 10;
  uint32_t count;
  uint64_t names[kMost];

  bool has(uint64_t name) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (names[i] == name) return true;
    }
    return false;
  }
  // False: no room.
  bool add(uint64_t name) {
    if (count == kMost) return false;
    names[count++] = name;
    return true;
  }
};

struct ActionTrail {
  static constexpr uint32_t kMostSteps = 1 << 18;
  static constexpr uint32_t kMostParts = 1 << 19;
  static constexpr uint32_t kMostChoices = 1 << 14;
  static constexpr uint32_t kMostWaiting = 256;
  static constexpr uint32_t kMostCells = 1 << 18;

  uint32_t step_count;
  uint32_t part_count;
  uint32_t choice_count;
  uint32_t waiting_count;
  TrailGap gap;
  uint32_t assumptions;   // Assumption bits
  bool has_learned;       // of loops that wait: earlier runs had steps that this one has not
  bool asks_spurious;     // whether waits end without a signal
  bool asks_failures;     // whether a compare_exchange_weak fails without a reason
  bool is_given_up;       // the strategy ended the run: all that could follow has been run
  bool leaves_threads;    // others could have gone on when the run ended, had it ended before
  bool is_blocked;        // the run ended with a thread in a loop that it would have left
  bool leaves_out_locks;  // rounds of loops in which a thread had a lock
  uint32_t failed_tries;  // to get a lock, but for those in rounds that are left out
  bool is_weak;           // which stores are read is explored, too
  uint64_t graph;         // which execution it is: which stores were read, and where they stand
  bool is_endless;        // nobody left but threads in loops, which the rest of the run has to show
  uintptr_t gap_pc;
  // Threads whose time was up while they waited (`enabled_after`: when), then those that have not
  // come to their end: in front of what they wait, one part each, none if they could have gone on.
  TrailStep waiting[kMostWaiting];
  TrailPart waited_for[kMostWaiting];
  TrailStep steps[kMostSteps];
  TrailPart parts[kMostParts];
  TrailChoice choices[kMostChoices];
  WaitingLoops loops;  // of the campaign
  RaisedFloors raised;
  // Memory that is known to be shared, by cells of the table in memory/sharing.h; of the campaign.
  // Those that somebody else has put here are made known when the next run begins.
  uint32_t cell_count, known_cells;
  uint32_t cells[kMostCells];

  void clear() {
    step_count = part_count = choice_count = waiting_count = 0;
    gap = TrailGap::none;
    assumptions = 0;
    has_learned = asks_spurious = asks_failures = is_given_up = is_blocked = is_endless =
        leaves_threads = false;
    leaves_out_locks = false;
    failed_tries = 0;
    is_weak = false;
    graph = 0;
    gap_pc = 0;
  }
};

}  // namespace jostle
