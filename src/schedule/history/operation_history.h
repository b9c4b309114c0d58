// SPDX-License-Identifier: Apache-2.0
// A history: which operations of a test's scenario were called, when they returned, and what.
//
// A run is right if one of the runs in which operations follow each other, or wait, has the same
// results in an order that keeps to `before`. Plain data: it lies in the record of a run, and in
// memory that the run shares with the process that knows the right results (reference_exchange.h).
#pragma once

#include <cstdint>

#include "src/base/hash.h"
#include "src/schedule/input_record.h"

namespace jostle {

inline constexpr uint32_t kMostOperations = 32;
inline constexpr uint32_t kMostOperationText = 96;

struct HistoryOperation {
  uint64_t result;   // what it returned, as a number; of an address see `is_address`
  uint64_t before;   // bit i: operation i comes before it in every order that explains the run
  uint32_t slot;     // of the scenario: 0 main, before and after all others; 1, 2, … side by side
  uint32_t call_at;  // position among all calls and returns, from 1; 0: not called
  uint32_t return_at;   // 0: it has not returned
  uint32_t thread;      // index of the run's thread
  uint32_t thread_id;   // … and its ThreadId
  uint32_t is_address;  // the result: which one says nothing, only whether two are the same
  uint32_t events;      // of its thread: when it was called; when it has returned, since then
};

// What an operation promises of its progress, whatever becomes of the threads beside it.
enum class Promise : uint32_t {
  none,
  obstruction_free,  // it returns when all others have stopped
  lock_free,         // … and of two that go on in turns one does
  wait_free,         // … and it does itself, after a bounded number of its own steps
};

// A test of such a promise: in the middle of `operation` all other threads are stopped for good, or
// all but those of another slot, with which it takes turns. They go on when it has returned.
struct Standstill {
  Promise promise;  // none: there is no such test in this run
  uint32_t operation;
  uint32_t after;               // events of the operation before the others stop
  uint32_t partner;             // slot whose thread goes on, too; 0: nobody
  uint32_t turn, partner_turn;  // steps in a row
  uint32_t bound;               // wait_free: events that it may take
  enum State : uint32_t { planned, begun, over } state;

  // Events after which an operation that has not returned is said not to; of two that take turns
  // fewer, as every turn is in the log of the run.
  uint64_t most_events() const { return partner == 0 ? 100'000 : 20'000; }
};

struct History {
  uint32_t count;     // operations of the scenario; 0: the run has no history
  uint32_t draws;     // so many draws made the scenario
  uint32_t position;  // calls and returns so far
  uint32_t caller;    // ThreadId of who began it
  uint32_t is_over;   // all operations have returned, and it has been judged
  uint32_t slack;     // an order may differ by so many places from one that keeps to `before`
  uint64_t scenario;  // what tells it from others
  Standstill standstill;
  HistoryOperation operations[kMostOperations];

  void clear() {
    count = draws = position = is_over = slack = 0;
    standstill = {};
  }
  bool stands_still() const { return standstill.state == Standstill::begun; }
  // The thread that has had operations of the slot; UINT32_MAX: none has yet.
  uint32_t thread_of(uint32_t slot) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (operations[i].slot == slot && operations[i].call_at != 0) return operations[i].thread_id;
    }
    return UINT32_MAX;
  }
  uint64_t all() const { return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }
  uint64_t returned() const {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) bits |= uint64_t{operations[i].return_at != 0} << i;
    return bits;
  }

  // The thread is in an operation, not between two.
  bool is_in_operation(uint32_t thread_id) const {
    for (uint32_t i = 0; i < count; ++i) {
      const HistoryOperation& one = operations[i];
      if (one.thread_id == thread_id && one.call_at != 0 && one.return_at == 0) return true;
    }
    return false;
  }
  // Addresses by the order in which the scenario's operations have them: the same in every process.
  void number_addresses() {
    uint64_t ordinal = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (!has_address(i)) continue;
      const uint64_t address = operations[i].result;
      ++ordinal;
      for (uint32_t k = i; k < count; ++k) {
        if (!has_address(k) || operations[k].result != address) continue;
        operations[k].result = ordinal;
        operations[k].is_address = 0;
      }
    }
  }

  // Of two runs with the same key both are right or both are wrong.
  uint64_t key() const {
    uint64_t hash = combine(scenario, count);
    for (uint32_t i = 0; i < count; ++i) {
      const HistoryOperation& one = operations[i];
      hash = combine(hash, one.return_at != 0 ? one.result : ~uint64_t{0});
      hash = combine(hash, one.before << 1 ^ uint64_t{one.return_at != 0});
    }
    return hash != 0 ? hash : 1;
  }

 private:
  bool has_address(uint32_t i) const {
    return operations[i].is_address && operations[i].return_at != 0 && operations[i].result != 0;
  }
};

// How operations and results are written; only of runs that somebody will read.
struct OperationText {
  char call[kMostOperationText];
  char result[kMostOperationText];
};

// Why a history is wrong.
struct HistoryVerdict {
  uint32_t orders;         // that are possible: none has these results; 0: not known
  uint32_t nearest_count;  // operations of the order that has the most of them
  uint32_t nearest[kMostOperations];
  uint64_t differs;        // bit i: operation i has another result there
  uint64_t returns_there;  // bit i: it does
  OperationText there[kMostOperations];
};

}  // namespace jostle
