// SPDX-License-Identifier: Apache-2.0
// What a campaign has found: failures that look different, each with the schedule that showed it.
#pragma once

#include "src/engine/failure_tally.h"
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
  // Keeps the run's failure if one of its signature is due.
  void add(channel::Channel& channel, uint64_t schedule_number);
  // The same for a race of the run that is no failure. True: more of it are not needed.
  bool note(channel::Channel& channel, uint64_t schedule_number, const channel::RaceRecord& race);

 private:
  InputFuzzer& inputs_;
  FailureTally tally_;
};

}  // namespace jostle::engine
