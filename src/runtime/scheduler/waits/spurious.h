// SPDX-License-Identifier: Apache-2.0
// What may happen without a reason. POSIX lets a wait for a condition variable end without a
// signal, and the kernel one for a futex; C++ lets a compare_exchange_weak fail although the value
// is the expected one. A program that does not look again goes wrong then.
//
// Whether it happens is a choice, and costs the search something where it is asked: so it is asked
// only in some runs, never in the first ones, and only of samplers. A run is asked at every such
// wait or at none; a recording that has such choices was asked. Comparisons are too frequent for
// that: where one fails is drawn here, and only those that fail are in the log.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/base/rng.h"
#include "src/runtime/scheduler/thread.h"
#include "src/schedule/channel.h"

namespace jostle {
class Decider;
}

namespace jostle::rt {

class Spurious {
 public:
  // Which run of the campaign comes next; 0: none of a campaign.
  void next_run(uint64_t number) { number_ = number; }
  // All runs from now on are asked.
  void insist() { insists_ = true; }

  void begin_run(const channel::Channel& channel, const channel::Schedule* followed,
                 const Decider* decider, uint64_t seed);

  // The running thread is about to wait. True: it is woken at once, without a signal. Not if its
  // time is over already: then it times out.
  bool wakes(Nanoseconds deadline);
  // Its compare_exchange_weak is about to succeed. True: it fails.
  bool fails();

 private:
  enum class Comparer { nobody, asked, drawn };

  bool is_drawn();

  uint64_t number_ = 0;
  bool insists_ = false;
  bool asked_ = false;
  Comparer comparer_ = Comparer::nobody;
  bool judges_histories_ = false;  // comparisons fail also where results are judged
  uint32_t wakes_left_ = 0;        // of a run
  uint32_t failures_left_ = 0;
  uint64_t one_in_ = 1;  // comparisons
  Rng rng_;
};

extern JOSTLE_HIDDEN Spurious g_spurious;

}  // namespace jostle::rt
