// SPDX-License-Identifier: Apache-2.0
// Observers see what runs do to memory, whichever strategy decides.
#pragma once

#include <cstdint>

#include "src/schedule/operation.h"

namespace jostle {

// A read or write that has been executed, by what is the same in every run; the addresses are those
// of this run.
struct Event {
  uint64_t name, site;
  uint64_t thread;  // hash of its spawn path
  uintptr_t object, pc;
  OpKind kind;
  bool concurrent;     // the last access of another thread there could have come later
  bool alone = false;  // there was no other thread at the time
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Its decider has begun already.
  virtual void run_begins() = 0;
  // Every read and write that others can notice, as it is executed.
  virtual void observed(const Event& event, bool writes) = 0;
  // A read has observed a write (both abstract events) for the first time in the campaign.
  virtual void paired(uint64_t write, uint64_t read) = 0;
};

}  // namespace jostle
