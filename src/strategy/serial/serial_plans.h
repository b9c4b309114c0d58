// SPDX-License-Identifier: Apache-2.0
// All runs of a program as sequences of decisions, one after the other: the next differs from the
// last in its last decision that has an alternative left. Pure: somebody else runs.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"

namespace jostle {

class SerialPlans {
 public:
  struct Decision {
    uint32_t taken, count;
  };

  // What the next run has to take, as far as this goes; behind it 0.
  const EngineVector<uint32_t>& plan() const { return plan_; }
  // There is no other run.
  bool finished() const { return finished_; }
  // What a run decided. False: it did not do what the runs before did.
  bool add(const EngineVector<Decision>& decisions);
  // Begins anew: what the runs before did does not hold any more.
  void restart();

 private:
  EngineVector<Decision> last_;
  EngineVector<uint32_t> plan_;
  bool finished_ = false;
};

}  // namespace jostle
