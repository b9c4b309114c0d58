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
  // Keeps a race of the run that is no failure.
  void note(channel::Channel& channel, uint64_t schedule_number, const channel::RaceRecord& race);

 private:
  bool is_new(uint64_t signature);
  static void keep(channel::Channel& channel, uint64_t schedule_number, uint64_t signature,
                   const channel::Failure& end, bool is_failure);

  EngineVector<uint64_t> signatures_;
};

}  // namespace jostle::engine
