// SPDX-License-Identifier: Apache-2.0
// One object, followed through a part of a run: could an action go on there, and what would it do?
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/action.h"

namespace jostle::dpor {

class ObjectState {
 public:
  // `value`: of memory, or of a semaphore.
  void start(uint64_t value);
  void apply(const Part& part, Thread thread);

  // REQUIRES: blocks(part.act).
  bool admits(const Part& part, const AwaitConditions* conditions) const;
  // Whether the action takes effect here. Cautious where that cannot be known: yes.
  bool takes_effect(const Part& part) const;
  // Those that wait here, in the order they came.
  const EngineVector<Thread>& waiters() const { return waiters_; }

 private:
  void forget_waiter(Thread thread);

  uint64_t value_ = 0;
  bool is_locked_ = false;
  uint32_t readers_ = 0;
  EngineVector<Thread> waiters_;
};

}  // namespace jostle::dpor
