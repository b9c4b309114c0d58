// SPDX-License-Identifier: Apache-2.0
// What a campaign has found: failures that look different, each with the schedule that showed it.
#pragma once

#include "src/base/engine_memory.h"
#include "src/engine/input_fuzzer.h"
#include "src/schedule/channel.h"

namespace jostle::engine {

// Equal for failures of one build that look the same: kind, place, how it came there, message; for
// a deadlock the set of operations that wait. What lasts over builds is report/model/identity.h.
uint64_t signature_of(const channel::RunRecord& run);

// The same for one who changes the schedule of a failure and asks whether it is still the same: of
// a deadlock only the threads of the cycle count, and not how many others wait in vain besides.
uint64_t essence_of(const channel::RunRecord& run);

// Hands the schedule of the run in the channel's record over to the command. False: there is no
// room.
bool append_finding(channel::Channel& channel, uint64_t schedule_number, uint64_t signature,
                    const channel::Failure& end, channel::FindingRole role);

class Findings {
 public:
  // `inputs` keeps the input of a run that is worth it.
  explicit Findings(InputFuzzer& inputs) : inputs_(inputs) {}
  // Keeps the run's failure, the first, second, fourth, … of its signature: when the command cannot
  // confirm one, another may do.
  void add(channel::Channel& channel, uint64_t schedule_number);
  // The same for a race of the run that is no failure. True: more of it are not needed.
  bool note(channel::Channel& channel, uint64_t schedule_number, const channel::RaceRecord& race);

 private:
  struct Seen {
    uint64_t signature;
    uint64_t times;
  };
  Seen& count(uint64_t signature);
  // An exit status hides what failed: of those more are handed over.
  static bool is_due(const Seen& seen, bool dense = false) {
    uint64_t step = 1;
    while (step * (dense ? 8 : 2) <= seen.times) step *= 2;
    return seen.times % step == 0;
  }

  InputFuzzer& inputs_;
  EngineVector<Seen> seen_;
};

}  // namespace jostle::engine
