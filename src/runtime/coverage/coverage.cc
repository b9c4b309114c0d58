#include "src/runtime/coverage/coverage.h"

#include <bit>

#include "src/base/hash.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/modules.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT constinit Coverage g_coverage;

namespace {

// Different kinds of features never are the same by construction, only by chance.
enum Kind : uint64_t { kReadsFrom = 101, kContexts = 102, kProgress = 103 };

// Exact for short runs, then eight steps to every doubling.
uint32_t how_far(uint64_t events) {
  constexpr int kExact = 6;
  if (events < 1 << kExact) return static_cast<uint32_t>(events);
  const int log = std::bit_width(events) - 1;
  return static_cast<uint32_t>(log) << 8 | (events >> (log - 3) & 7);
}

}  // namespace

uint64_t Coverage::context_of(const Thread& thread) const {
  uint64_t hash = combine(7, code_location(thread.pending.pc));
  const uint32_t levels = thread.calls.depth() < depth_ - 1 ? thread.calls.depth() : depth_ - 1;
  for (uint32_t i = 0; i < levels; ++i) hash = combine(hash, code_location(thread.calls.caller(i)));
  return hash;
}

void Coverage::observed(uint64_t write, uint64_t read) {
  feedback_->add(combine(combine(kReadsFrom, write), read));
}

void Coverage::switched(const Thread& from, const Thread& to) {
  // Of the pairs that do not touch the same there are too many, and they tell too little.
  if (!races(from.pending, to.pending)) return;
  feedback_->add(combine(combine(kContexts, context_of(from)), context_of(to)));
}

void Coverage::wrote(uint32_t time) {
  writes_[time % kWrites] = {time, how_far(g_current->events)};
}

void Coverage::met(uint32_t writer, uint32_t time) {
  const Write& write = writes_[time % kWrites];
  if (write.time != time) return;  // long ago
  const uint64_t paths = combine(thread_path(writer), thread_path(g_current->index));
  feedback_->add(
      combine(combine(kProgress, paths), uint64_t{write.far} << 32 | how_far(g_current->events)));
}

}  // namespace jostle::rt
