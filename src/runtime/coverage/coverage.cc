// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/coverage/coverage.h"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/meetings.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT constinit Coverage g_coverage;

namespace {

// Different kinds of features never are the same by construction, only by chance.
enum Kind : uint64_t { kReadsFrom = 101, kContexts = 102, kProgress = 103 };

using channel::CodeLocation;

// Of the call stack, beside the place itself: a feature that depends on more would hardly ever come
// again.
constexpr uint32_t kLevels = 1;

// Exact for short runs, then eight steps to every doubling.
uint32_t how_far(uint64_t events) {
  constexpr int kExact = 6;
  if (events < 1 << kExact) return static_cast<uint32_t>(events);
  const int log = std::bit_width(events) - 1;
  return static_cast<uint32_t>(log) << 8 | (events >> (log - 3) & 7);
}

// Where the program itself is: what it does inside the standard library's templates, which are its
// own code, too, is done where it calls them. 0: nobody has called them, a thread begins there.
uintptr_t own_code(const Thread& thread) {
  Points& points = g_scheduler.points();
  const uintptr_t pc = points.own_code(thread.pending.pc, thread.calls);
  return points.stop_at(pc) == channel::kStopLibrary ? 0 : pc;
}
CodeLocation own_place(const Thread& thread) {
  const uintptr_t pc = own_code(thread);
  return pc ? code_location(pc) : 0;
}

bool is_own_code(uintptr_t pc) {
  return is_instrumented_code(pc) && g_scheduler.points().stop_at(pc) != channel::kStopLibrary;
}

// The place and its callers, those of the program's own; 0 behind the last.
void fill_context(const Thread& thread, uint32_t depth, CodeLocation* places) {
  uint32_t count = 0;
  if (is_own_code(thread.pending.pc)) places[count++] = code_location(thread.pending.pc);
  for (uint32_t i = 0; i < thread.calls.depth() && count < depth; ++i) {
    const uintptr_t caller = thread.calls.caller(i);
    if (is_own_code(caller)) places[count++] = code_location(caller);
  }
  if (count == 0) places[count++] = own_place(thread);
  for (; count < depth; ++count) places[count] = 0;
}

}  // namespace

JOSTLE_KEPT bool g_meetings_wanted = false;

void Coverage::feed(Feedback* feedback) {
  feedback_ = feedback;
  g_meetings_wanted = feedback_ || table_;
}

void Coverage::fill_table(int descriptor) {
  void* p = REAL(mmap)(nullptr, sizeof(CoverTable), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  REAL(close)(descriptor);
  if (p == MAP_FAILED) return;
  note_shared_engine_memory(p, sizeof(CoverTable));
  table_ = static_cast<CoverTable*>(p);
  g_meetings_wanted = true;
}

// Every two threads that are under way, not only those that a switch is between.
void Coverage::list_switch(const Thread& from, const Thread& to) {
  CodeLocation left[CoverTable::kMostDepth], right[CoverTable::kMostDepth];
  fill_context(from, table_->depth, left);
  fill_context(to, table_->depth, right);
  table_->add(PairKind::contexts, left, right, table_->depth);
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread& other = *g_scheduler.thread_at(id);
    if (&other == &to || !other.live || other.pending.kind == OpKind::thread_begin ||
        to.pending.kind == OpKind::thread_begin) {
      continue;
    }
    const CodeLocation there = own_place(other);
    table_->add(PairKind::functions, &right[0], &there, 1);
  }
}

uint64_t Coverage::context_of(const Thread& thread) const {
  uint64_t hash = combine(7, code_location(thread.pending.pc));
  const uint32_t levels = thread.calls.depth() < kLevels ? thread.calls.depth() : kLevels;
  for (uint32_t i = 0; i < levels; ++i) hash = combine(hash, code_location(thread.calls.caller(i)));
  return hash;
}

void Coverage::observed(uint64_t write, uint64_t read) {
  if (!feedback_) return;
  feedback_->add(combine(combine(kReadsFrom, write), read));
}

void Coverage::switched(const Thread& from, const Thread& to) {
  if (table_) list_switch(from, to);
  if (!feedback_) return;
  // Of the pairs that do not touch the same there are too many, and they tell too little.
  if (!races(from.pending, to.pending)) return;
  feedback_->add(combine(combine(kContexts, context_of(from)), context_of(to)));
}

void Coverage::wrote(uint32_t time) {
  const uintptr_t pc = table_ ? own_code(*g_current) : g_current->pending.pc;
  writes_[time % kWrites] = {time, how_far(g_current->events), pc};
}

void Coverage::met(uint32_t writer, uint32_t time) {
  const Write& write = writes_[time % kWrites];
  if (write.time != time) return;  // long ago
  if (table_) {
    const CodeLocation wrote = write.pc ? code_location(write.pc) : 0;
    const CodeLocation reads = own_place(*g_current);
    const PairKind kind =
        is_memory(g_current->pending.kind) ? PairKind::reads_from : PairKind::locks;
    table_->add(kind, &wrote, &reads, 1);
  }
  if (!feedback_) return;
  const uint64_t paths = combine(thread_path(writer), thread_path(g_current->index));
  feedback_->add(
      combine(combine(kProgress, paths), uint64_t{write.far} << 32 | how_far(g_current->events)));
}

void note_switch(const Thread& from, const Thread& to) { g_coverage.switched(from, to); }
void note_observed(uint64_t write, uint64_t read) { g_coverage.observed(write, read); }
void note_write(uint32_t time) { g_coverage.wrote(time); }
void note_meeting(uint32_t writer, uint32_t time) { g_coverage.met(writer, time); }

}  // namespace jostle::rt
