// SPDX-License-Identifier: Apache-2.0
// A run of the process that knows what is right in which one thread calls the operations of one
// scenario after the other, in given orders, each time on objects made anew.
//
// Nothing is rewound between them, so what globals keep would be seen by the next: who asks for
// such runs tells nobody that something is wrong because of them.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"

namespace jostle::rt {

class OrderSession {
 public:
  // The last order is done; the next one, or null: no more in this run. `is_new`: it is of another
  // scenario, or the first.
  virtual const EngineVector<uint8_t>* next_order(int& is_new) = 0;
  virtual void returned(uint32_t operation, uint64_t result, bool is_address) = 0;

 protected:
  ~OrderSession() = default;
};

// Of the run that is going on; null: it is another kind of run.
extern JOSTLE_HIDDEN OrderSession* g_order_session;

}  // namespace jostle::rt
