// SPDX-License-Identifier: Apache-2.0
// Constraints on the order in which event loops learn of what is ready, in the manner of rff:
// "of b not before of a". They are drawn from pairs that were ready at the same time in some run,
// orders that no run has had first; sets of them whose runs showed something new are kept and
// changed a little (one more, one less, another, one the other way round).
//
// A constraint holds b back as long as the loop may hear of something else, or of nothing. Nobody
// waits for ever: the runtime stops asking once something has been passed over often enough.
#pragma once

#include "src/base/engine_memory.h"
#include "src/base/rng.h"

namespace jostle {

struct ReadyOrder {
  uint64_t first, then;  // names
  bool operator==(const ReadyOrder&) const = default;
};

struct ReadyOrders {
  static constexpr uint32_t kMost = 4;
  uint32_t count = 0;
  ReadyOrder orders[kMost] = {};
};

// Which pairs have been ready at the same time, and who was first then. In memory that runs in
// processes of their own share.
class KnownReadyPairs {
 public:
  KnownReadyPairs();
  // Of these names the loop learns of `told` next.
  void note(const uint64_t* names, uint32_t count, uint32_t told);
  bool any() const { return table_->count != 0; }
  // An order that was never seen, if there is one that has not been drawn yet; else any.
  ReadyOrder draw(Rng& rng);

 private:
  static constexpr uint32_t kMostPairs = 1 << 10;
  struct Pair {
    uint64_t a, b;          // a < b
    bool a_first, b_first;  // has been seen, or tried
  };
  struct Table {
    uint32_t count;
    Pair pairs[kMostPairs];
    uint32_t slots[2 * kMostPairs];  // by hash: index + 1
  };
  Pair* find_or_add(uint64_t a, uint64_t b);

  Table* table_;
};

// The sets that led somewhere, and the one of this run.
class ReadyOrderSearch {
 public:
  // A run begins that is (not) subject to constraints.
  void begin(bool constrained, Rng& rng);
  bool active() const { return now_.count != 0; }
  // As Scheduler::choose_ready.
  uint32_t choose(const uint64_t* names, uint32_t count, bool may_stop, Rng& rng);
  // The loop is to learn of none of these yet.
  bool all_held(const uint64_t* names, uint32_t count) const;
  // Of these the loop learns of `told`, whether this or another decider chose.
  void note(const uint64_t* names, uint32_t count, uint32_t told);
  // Also after runs that somebody else decided: those count for nothing.
  void after_run(bool is_new);

  const ReadyOrders& now() const { return now_; }

 private:
  static constexpr size_t kMostKept = 64;
  void mutate(Rng& rng);
  bool is_held(uint64_t name) const;
  bool is_awaited(uint64_t name) const;

  KnownReadyPairs known_;
  EngineVector<ReadyOrders> kept_;
  size_t oldest_ = 0;
  ReadyOrders now_;
  uint32_t met_ = 0;  // bits of orders of whose first the loop has learned
};

}  // namespace jostle
