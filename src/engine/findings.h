// What a campaign has found: failures that look different, each with the schedule that showed it.
#pragma once

#include "src/base/engine_memory.h"
#include "src/schedule/channel.h"

namespace jostle::engine {

// Equal for failures that look the same to a user: kind, place, message; for a deadlock the set of
// operations that wait.
uint64_t signature_of(const channel::RunRecord& run);

class Findings {
 public:
  // Keeps the run's failure if none of its signature is kept yet.
  void add(channel::Channel& channel, uint64_t schedule_number);

 private:
  EngineVector<uint64_t> signatures_;
};

}  // namespace jostle::engine
