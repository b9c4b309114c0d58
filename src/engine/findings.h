// What a campaign has found: failures that look different, each with the schedule that showed it.
#pragma once

#include "src/base/engine_memory.h"
#include "src/schedule/channel.h"

namespace jostle::engine {

// Equal for failures that look the same to a user: kind, place, message; for a deadlock the set of
// operations that wait.
uint64_t signature_of(const channel::RunRecord& run);

// Exact up to a million members, an estimate from below after that.
class DigestSet {
 public:
  // True when it was not there.
  bool insert(uint64_t digest);

 private:
  static constexpr uint64_t kSlots = 1 << 21;
  // Shared memory, because a fork copies the page tables of everything private that was touched.
  uint64_t* slots_ = nullptr;
  uint64_t used_ = 0;
};

class Findings {
 public:
  // Keeps the run's failure if none of its signature is kept yet.
  void add(channel::Channel& channel, uint64_t schedule_number);
  // For counting different schedules, and different data flows among them.
  bool is_new_trace(uint64_t digest) { return traces_.insert(digest); }
  bool is_new_reads_from(uint64_t set) { return reads_from_.insert(set); }

 private:
  EngineVector<uint64_t> signatures_;
  DigestSet traces_, reads_from_;
};

}  // namespace jostle::engine
