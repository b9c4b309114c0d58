// SPDX-License-Identifier: Apache-2.0
// Spurious wake-ups: POSIX lets a wait for a condition variable end without a signal, and the
// kernel one for a futex. A program that does not look at its condition again goes wrong then.
//
// Whether a wait ends so is a choice, and costs the search something where it is asked: so it is
// asked only in some runs, never in the first ones, and only of samplers. A run is asked at every
// such wait or at none; a recording that has such choices was asked.
#pragma once

#include <cstdint>

#include "src/base/kept.h"
#include "src/schedule/channel.h"

namespace jostle::rt {

class SpuriousWaits {
 public:
  // Which run of the campaign comes next; 0: none of a campaign.
  void next_run(uint64_t number) { number_ = number; }
  // All runs from now on are asked.
  void insist() { insists_ = true; }

  // `willing`: who decides is a sampler.
  void begin_run(const channel::Channel& channel, const channel::Schedule* followed, bool willing);

  // The running thread is about to wait. True: it is woken at once, without a signal.
  bool happens();

 private:
  uint64_t number_ = 0;
  bool insists_ = false;
  bool asked_ = false;
  uint32_t left_ = 0;  // of a run
};

extern JOSTLE_HIDDEN SpuriousWaits g_spurious;

}  // namespace jostle::rt
