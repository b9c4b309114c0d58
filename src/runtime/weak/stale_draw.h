// SPDX-License-Identifier: Apache-2.0
// Which few operations of a run read a stale store. Most bugs of weak memory need one to three, and
// everything else as fresh as ever: so D operations are drawn before the run, and the others read
// the newest. For D of them among K with H stores each the right ones come with at least 1/(KH)^D
// (PCTWM, Gao et al. 2023), whatever decides about threads.
//
// Where it differs from the paper: not the K operations are equally likely but first the places in
// the program, then how often a place was passed, the first times preferred: a loop that polls
// would have nearly all. What places there are is learned from the runs before. And stores that are
// placed behind others are drawn, too, in one of eight.
//
// Pure. It has to be called for every operation that has alternatives, in the order of the run.
#pragma once

#include <cstdint>

#include "src/base/rng.h"
#include "src/schedule/run_record.h"

namespace jostle::weak {

// Places of the program, learned from run to run.
class StoreSites {
 public:
  void learn(const channel::StoreSite* sites, uint32_t count) {
    for (uint32_t i = 0; i < count && i < channel::kMaxStoreSites; ++i) {
      channel::StoreSite& known = find(sites[i].location, sites[i].kind);
      if (&known == &none_) return;
      if (sites[i].count > known.count) known.count = sites[i].count;
    }
  }
  uint32_t count() const { return count_; }
  const channel::StoreSite& operator[](uint32_t i) const { return sites_[i]; }
  // One of that kind; null: there is none.
  const channel::StoreSite* draw(Rng& rng, ChoiceKind kind) const {
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < count_; ++i) fitting += sites_[i].kind == kind;
    if (fitting == 0) return nullptr;
    uint64_t which = rng.below(fitting);
    for (uint32_t i = 0; i < count_; ++i) {
      if (sites_[i].kind == kind && which-- == 0) return &sites_[i];
    }
    return nullptr;
  }

  // The place, if there is room for it; a new one was passed 0 times.
  channel::StoreSite& find(uint64_t location, ChoiceKind kind) {
    for (uint32_t i = 0; i < count_; ++i) {
      if (sites_[i].location == location && sites_[i].kind == kind) return sites_[i];
    }
    if (count_ == channel::kMaxStoreSites) return none_;
    sites_[count_] = {location, 0, kind};
    return sites_[count_++];
  }
  bool has(const channel::StoreSite& site) const { return &site != &none_; }
  void clear() { count_ = 0; }

 private:
  uint32_t count_ = 0;
  channel::StoreSite sites_[channel::kMaxStoreSites] = {};
  channel::StoreSite none_ = {};
};

class StaleDraw {
 public:
  static constexpr uint32_t kMost = 3;

  // 1/2: none, 1/4: one, 1/8: two, 1/8: three.
  static uint32_t draw_count(Rng& rng) {
    const uint64_t luck = rng.below(8);
    return luck < 4 ? 0 : luck < 6 ? 1 : luck == 6 ? 2 : 3;
  }

  // Before a run: `count` operations of it.
  void begin_run(uint64_t seed, uint32_t count, const StoreSites& known) {
    rng_.reseed(seed);
    drawn_ = 0;
    for (; drawn_ < count; ++drawn_) {
      const bool stores = rng_.below(8) == 0;
      const channel::StoreSite* site =
          known.draw(rng_, stores ? ChoiceKind::place : ChoiceKind::stale);
      if (!site) site = known.draw(rng_, stores ? ChoiceKind::stale : ChoiceKind::place);
      if (!site) return;
      const uint32_t passes = site->count == 0 ? 1 : site->count;
      const uint32_t early = passes < kEarly ? passes : kEarly;
      const uint64_t nth = rng_.below(rng_.below(2) ? early : passes);
      draws_[drawn_] = {site->location, static_cast<uint32_t>(nth), site->kind};
    }
  }

  // The operation passes its place for the `nth` time, from 0. Which alternative it takes.
  uint32_t choose(ChoiceKind kind, uint64_t location, uint32_t nth, uint32_t alternatives) {
    for (uint32_t i = 0; i < drawn_; ++i) {
      const Draw& draw = draws_[i];
      if (draw.location == location && draw.nth == nth && draw.kind == kind) {
        return 1 + static_cast<uint32_t>(rng_.below(alternatives - 1));
      }
    }
    return 0;
  }

 private:
  static constexpr uint32_t kEarly = 4;
  struct Draw {
    uint64_t location;
    uint32_t nth;
    ChoiceKind kind;
  };
  Rng rng_;
  uint32_t drawn_ = 0;
  Draw draws_[kMost] = {};
};

}  // namespace jostle::weak
