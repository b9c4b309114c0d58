// SPDX-License-Identifier: Apache-2.0
// A schedule: the threads of a run, who ran until when, and what else was chosen.
#pragma once

#include <cstdint>

#include "src/schedule/operation.h"
#include "src/schedule/weak/memory_model.h"

namespace jostle::channel {

// A thread of a run, in order of creation. `parent` and `ordinal` make its stable name: the main
// thread is "0", its second child "0.1".
struct ThreadRecord {
  uint32_t parent;   // index into the same table; the main thread is its own parent
  uint32_t ordinal;  // n-th child of its parent, from 0
  uintptr_t start_routine;
  uint64_t steps;  // how often it was picked
  char name[16];   // pthread_setname_np
  uint64_t path;   // hash of the spawn path: the same thread in every run
};

// Why a segment ends.
enum SegmentEnd : uint8_t {
  kPreempted,   // the thread could have gone on
  kForced,      // it blocked, or ended
  kGaveWay,     // it yielded, or only spun: who could go on but has nothing to do
  kTimePassed,  // time passed until a timer, although it could go on; it may be the next, too
};

// "This thread runs until it is about to execute its own event number `until`." Events are counted
// per thread and include the memory accesses that are no scheduling points, so that a schedule
// means the same whatever the runtime has learned about which memory is shared.
struct Segment {
  uint32_t thread;  // index into the thread table
  OpKind stopped_at;
  uint8_t forced;  // SegmentEnd
  uint16_t reserved;
  uint64_t until;
  uint64_t location;  // CodeLocation of the operation it was about to execute
};

struct Choice {
  ChoiceKind kind;
  uint8_t reserved[3];
  uint32_t alternatives;
  uint32_t picked;
  // If it is_of_operation: at which event of which thread.
  uint32_t thread;
  uint64_t event;
};

// `until` of a segment that ends where its thread cannot go on.
inline constexpr uint64_t kUntilItWaits = UINT64_MAX;

inline bool is_preemption(const Segment& segment) { return segment.forced == kPreempted; }

inline constexpr uint32_t kMaxThreads = 1 << 18;  // created in one run and named
inline constexpr uint32_t kMaxSegments = 1 << 22;
inline constexpr uint32_t kMaxChoices = 1 << 20;
inline constexpr uint32_t kMaxScheduleBytes = 1 << 24;

// A schedule: enough to do a run again.
struct Schedule {
  uint64_t seed;  // of this run; only informative once the schedule is followed
  uint32_t thread_count, segment_count, choice_count;
  MemoryModel memory;  // of the run: never `automatic`
  uint64_t digest;     // over the switches and the synchronisation operations of the run
  ThreadRecord threads[kMaxThreads];
  Segment segments[kMaxSegments];
  Choice choices[kMaxChoices];
};
// What there is of it: a schedule is far smaller than its room.
inline void copy_schedule(const Schedule& from, Schedule& to) {
  to.seed = from.seed;
  to.thread_count = from.thread_count;
  to.segment_count = from.segment_count;
  to.choice_count = from.choice_count;
  to.memory = from.memory;
  to.digest = from.digest;
  __builtin_memcpy(to.threads, from.threads, from.thread_count * sizeof(ThreadRecord));
  __builtin_memcpy(to.segments, from.segments, from.segment_count * sizeof(Segment));
  __builtin_memcpy(to.choices, from.choices, from.choice_count * sizeof(Choice));
}

inline bool has_choice(const Schedule& schedule, ChoiceKind kind) {
  for (uint32_t i = 0; i < schedule.choice_count; ++i) {
    if (schedule.choices[i].kind == kind) return true;
  }
  return false;
}

// Something else than the newest store was read or written over.
inline bool has_choice_of_memory(const Schedule& schedule) {
  return has_choice(schedule, ChoiceKind::stale) || has_choice(schedule, ChoiceKind::place);
}

}  // namespace jostle::channel
