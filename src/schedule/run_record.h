// SPDX-License-Identifier: Apache-2.0
// All about one run.
#pragma once

#include <cstdint>

#include "src/schedule/callback_record.h"
#include "src/schedule/history/operation_history.h"
#include "src/schedule/history/result_of_run.h"
#include "src/schedule/input_record.h"
#include "src/schedule/run_end.h"
#include "src/schedule/schedule.h"
#include "src/schedule/trace_event.h"

namespace jostle::channel {

// A sleep, or another wait with a time-out, that ended although other threads could have run.
struct EarlyExpiry {
  uint32_t thread;
  OpKind kind;
  uint8_t reserved[3];
  uintptr_t pc;
  int64_t nanoseconds;  // that it should have taken
};
inline constexpr uint32_t kMaxEarlyExpiries = 16;

// An atomic operation that did not read the newest store, or stored behind others.
struct StaleRead {
  uint32_t thread, writer;  // `writer`: who stored what was read; UINT32_MAX: it was there before
  uint64_t event, writer_event;
  uintptr_t object, pc, writer_pc;
  uint64_t value, newest;  // that it read, or stored; of the newer store below
  uint32_t size;
  int32_t order;  // __ATOMIC_… of the operation
  ChoiceKind kind;
  uint8_t newer;  // so many stores were newer
  // The newest of these; if that has the same value, the first with another one.
  uint32_t newest_writer;
  int32_t newest_order;
  uint64_t newest_event;
  uintptr_t newest_pc;
};
inline constexpr uint32_t kMaxStaleReads = 64;

// A place in the program where atomic operations had more than one store to read, or more than one
// place to store, and how often.
struct StoreSite {
  uint64_t location;
  uint32_t count;
  ChoiceKind kind;
};
inline constexpr uint32_t kMaxStoreSites = 64;

// All about one run. Written by the run itself while it goes, so that it is there however it ends.
struct RunRecord {
  Failure end;
  Divergence divergence;
  uint64_t steps, switches, events;
  uint64_t decisions;  // steps at which there was more than one to choose from
  uint32_t max_live_threads;
  uint32_t report_count, object_count;
  uint32_t trace_truncated;
  uint64_t trace_count;
  uint32_t log_overflow;    // the schedule did not fit: it cannot be replayed
  uint32_t max_slots;       // threads at once, with those that have ended and are not joined yet
  uint64_t newly_shared;    // granules of memory that became scheduling points in this run
  uint64_t reads_from;      // hash of the set of (write, read that observed it) of the run
  uint64_t new_reads_from;  // how many of them no run had before
  char strategy[48];        // that chose the schedule, when it is one of several
  uint32_t race_count;      // no two with the same key
  uint32_t race_objects;    // the first of `objects` are the races'
  RaceRecord races[kMaxRaces];
  uint32_t family_wait_count;  // of a deadlock among several processes
  FamilyWait family_waits[kMaxFamilyWaits];
  uint32_t leak_count;  // of heap_error: the places that leak
  LeakRecord leaks[kMaxLeaks];
  uint32_t early_count;     // time-outs that struck although others could run, while recording
  uint32_t timer_expiries;  // waits of event loops that ended by time
  EarlyExpiry early[kMaxEarlyExpiries];
  Progress progress;
  uint32_t callback_count;
  CallbackRecord callbacks[kMaxCallbacks];  // in the order of their begin
  uint64_t new_features;                    // of coverage, that no run had before
  uint32_t waits;                           // that could have ended without a signal
  uint32_t weak_compares;                   // compare_exchange_weak that could have failed so
  uint32_t weak_orders;  // 1: others could notice an atomic operation weaker than seq_cst
  // Weak memory: what was read or placed otherwise than usual, and where that could have been.
  uint32_t stale_count;
  uint32_t store_site_count;
  StaleRead stale[kMaxStaleReads];
  StoreSite store_sites[kMaxStoreSites];
  // Of a test of what concurrent operations return.
  History history;
  HistoryVerdict history_verdict;                  // only when it is wrong
  OperationText operation_texts[kMostOperations];  // only in record mode
  ResultVerdict result_verdict;  // of functions that do not look atomic: only when it is wrong
  uint32_t rejected;             // 1: assume() did not want this input; the outcome is `stopped`
  uint32_t comparison_count;
  Comparison comparisons[kMaxComparisons];
  char shown[kMaxShown];  // only in record mode
  Draws draws;
  Schedule schedule;
  ThreadReport reports[kMaxThreadReports];
  ObjectRecord objects[kMaxObjectRecords];
  Stack first_stacks[kMaxFirstStacks];  // only in record mode: of threads, at their first event
  TraceEvent trace[kMaxTraceEvents];

  // What a run has done that begins: nothing yet. Arrays keep what is behind their counts;
  // `strategy` is set where the schedule is chosen, and verdicts are read only after a run that
  // was wrong.
  void clear() {
    end = {};
    divergence = {};
    steps = switches = events = decisions = 0;
    max_live_threads = max_slots = 0;
    report_count = object_count = 0;
    trace_count = trace_truncated = log_overflow = 0;
    newly_shared = reads_from = new_reads_from = new_features = 0;
    race_count = race_objects = 0;
    family_wait_count = leak_count = 0;
    early_count = timer_expiries = 0;
    progress = {};
    callback_count = 0;
    waits = weak_compares = weak_orders = 0;
    stale_count = store_site_count = 0;
    history.clear();
    rejected = comparison_count = 0;
    shown[0] = '\0';
    draws.count = draws.overflow = 0;
    schedule.segment_count = schedule.choice_count = 0;
    schedule.digest = 0;
  }
};

}  // namespace jostle::channel
