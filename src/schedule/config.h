// SPDX-License-Identifier: Apache-2.0
// What the command wants of a target process.
#pragma once

#include <cstdint>

#include "src/schedule/file_journal.h"
#include "src/schedule/weak/memory_model.h"
#include "src/schedule/weak/memory_orders.h"

namespace jostle::channel {

enum class Mode : uint32_t {
  run,     // one controlled execution in the process itself; all descriptors are the user's
  fuzz,    // many executions, each in a child of the target; output of the runs goes to /dev/null
  replay,  // one execution that follows `input`
  probe,   // no execution: the module table is filled in and the process ends before main
  step,    // like run, but asks the command at every scheduling point: see StepExchange
};

// How a campaign's runs are kept apart.
enum class Executor : uint32_t {
  automatic,  // snapshot if the program allows it
  snapshot,   // all in one process, rewound after each
  fork,       // a process each
};

// Where a thread that could go on may be preempted. A replay does not depend on it.
enum class Points : uint32_t {
  all,              // at every operation that other threads can notice
  synchronisation,  // not at plain memory accesses
  stops,            // at the stop points (`Channel::stops`) and, unless `stop_only`, as above
};

// May waits for condition variables and futexes end without a signal, as POSIX allows?
enum class SpuriousWakeups : uint32_t {
  rarely,  // in some runs of samplers
  never,
  always,  // it is a choice in every run, whatever the strategy
};

// What is looked for beside the program's own failures; `--check` names them.
enum Check : uint32_t {
  kCheckRace = 1 << 0,
  kCheckHeap = 1 << 1,
  kCheckLeak = 1 << 2,
  kCheckLockOrder = 1 << 3,
};
inline constexpr uint32_t kDefaultChecks = kCheckRace | kCheckHeap | kCheckLockOrder;

// Limits of a run that are failures when they are passed.
enum Limit : uint32_t {
  kLimitSteps = 1 << 0,
  kLimitTime = 1 << 1,
};

inline constexpr uint32_t kMaxAtomicText = 1024;

struct Config {
  Mode mode;
  Executor executor;
  Points points;
  uint32_t stop_only;
  uint32_t stop_count;        // used of Channel::stops
  uint32_t record;            // 1: keep the full trace and stacks (slow); 0: only the schedule
  char strategy[128];         // "random", "pos", "none", ...; parameters after a colon
  uint64_t seed;              // schedule i of a campaign runs with a seed derived from (seed, i)
  uint32_t worker, workers;   // this is one of so many: they take turns in the numbers of schedules
  uint32_t part, parts;       // which of so many shares of the finite tasks is ours; 0 of 0: all
  int32_t hub_descriptor;     // of the Hub; 0: none
  uint64_t first_schedule;    // number of the first schedule (1 normally; a restart goes on behind)
  uint64_t max_schedules;     // 0: no limit
  uint64_t max_nanoseconds;   // 0: no limit (real time, campaign)
  uint64_t run_nanoseconds;   // real-time watchdog of one run; 0: none
  uint64_t max_steps;         // scheduling points of one run; 0: no limit
  uint64_t max_events;        // hooks reached by one thread without end; 0: no limit
  uint32_t keep_graph;        // 1: draw the scheduling graph into Channel::graph at the end
  uint32_t minimize;          // 1: `input` fails, and a smaller schedule that does is wanted
  uint64_t failure;           // minimize: signature of how it fails; 0: any `expected_end`
  uint32_t has_input;         // 1: `input` is for the strategy
  uint64_t byte_count;        // used of Channel::bytes, for the strategy
  uint32_t keep_going;        // 1: do not stop at the first finding
  uint32_t any_exit_code_ok;  // 1: a non-zero exit is no failure
  uint64_t exit_codes_ok[4];  // bit set of exit codes that are no failure (0 always is none)
  int64_t clock_start;        // what CLOCK_REALTIME shows at the start, seconds since 1970
  uint32_t expected_end;      // replay: Outcome of the recording; a step limit strikes at its end
  uint32_t checks;            // Check bits
  uint32_t fail_on;           // Check bits: what they find fails the run; else it is only noted
  uint32_t volatile_atomic;   // 1: for races, volatile accesses are relaxed atomic ones
  uint32_t starvation_limit;  // who is passed over more often starves; 0: kMostOvertakings
  uint64_t expected_race;     // replay: race_key of the one that ends the run; 0: none does
  uint32_t plain_events;      // 1: event loops see what is ready as the kernel has it
  uint32_t core;              // 1: a process that dies of a signal may leave a core behind
  uint32_t io_faults;         // 1: transfers may be short or fail with EAGAIN
  uint32_t patient;           // 1: time-outs never strike while others could run
  uint32_t any_time_outs;     // 1: where all schedules are explored, time-outs may strike any time
  uint32_t limits_fail;       // Limit bits: the user set them, and a run beyond has failed
  FileCare file_care;         // what is done about files that runs change
  SpuriousWakeups spurious;
  MemoryModel memory;
  uint32_t unseen_atomics;  // 1: the program has some in inline assembly: threads meet there unseen
  uint32_t watch_orders;    // 1: Channel::orders is filled in, by runs with weak memory
  uint32_t order_change_count;  // used of `order_changes`
  OrderChange order_changes[kMaxOrderChanges];
  // Functions that are to look atomic: patterns, one a line; and used of Channel::atomic_functions.
  char atomic[kMaxAtomicText];
  uint32_t atomic_count;
  uint64_t stop_at_event;  // of the trace, from 1: a debugger is to stop before it; 0: nowhere
};

}  // namespace jostle::channel
