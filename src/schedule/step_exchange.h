// SPDX-License-Identifier: Apache-2.0
// The conversation of `jostle step`.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/schedule/config.h"
#include "src/schedule/run_end.h"
#include "src/schedule/schedule.h"

namespace jostle::channel {

// Why the target waits for an order.
enum class StepStop : uint32_t {
  choice,       // the last order is done, and there is more than one thread to choose from
  cannot,       // the thread that the order names cannot go on
  interrupted,  // as asked
  place,        // `next` is about to execute an operation at `place`, which is not in `passed`
  looked,       // the answer to StepOrder::look
};

enum class StepOrder : uint32_t {
  thread,    // `thread` alone
  onward,    // the thread that runs goes on; when it cannot, the next one
  strategy,  // `strategy` decides
  go_on,     // the order before, past this place
  look,      // nothing runs: describe the threads, and stop again
};

inline constexpr uint32_t kStepPlaces = 1 << 12;
// Where a place is kept in `passed`; another one may take its room, and is then asked for again.
constexpr uint32_t step_place(uint64_t place) {
  return static_cast<uint32_t>((place >> 2 ^ place >> 14) % kStepPlaces);
}

// The conversation of `jostle step`. The target fills in a stop, counts it and waits; the command
// fills in an order and counts that. Each waits on the other's counter, with a futex.
// At every stop but `place` the reports of the run's record describe all live threads.
struct StepExchange {
  uint32_t rehearsals;              // runs that nobody sees, to learn which memory is shared
  std::atomic<uint32_t> stops;      // counted by the target
  std::atomic<uint32_t> orders;     // counted by the command
  std::atomic<uint32_t> interrupt;  // set by the command, cleared by the target: stop soon

  StepStop stop;
  uint32_t current;  // who ran last: index into the thread table
  uint32_t next;     // place: who is about to run
  uint64_t step;
  int64_t clock;    // virtual time, nanoseconds
  Segment running;  // what the log of the run lacks: the segment of `current` up to here
  Stack place;      // of `next`
  uint64_t place_hash;

  StepOrder order;
  uint32_t thread;
  uint32_t until;  // 1: ask at every place that is not in `passed`
  uint64_t count;  // so many decisions
  uint64_t seed;   // of the strategy
  char strategy[sizeof(Config::strategy)];
  uint64_t passed[kStepPlaces];  // code addresses, and hashes of stacks
};

}  // namespace jostle::channel
