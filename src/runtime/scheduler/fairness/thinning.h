// SPDX-License-Identifier: Apache-2.0
// Long runs: where threads may be preempted when they cannot be preempted everywhere.
//
// A program that computes has millions of operations that others could notice. To decide about each
// costs more than the program itself, and hardly any of them matters. So a run has a *window* in
// which every operation is a scheduling point; elsewhere only one in a number of operations is,
// first of memory, then of all, and the number grows with the run. Where the window lies is drawn
// anew for every run once it is known how long runs are. A schedule says at which events threads
// were switched, so a replay needs none of this.
#pragma once

#include <cstdint>

#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/schedule/run_end.h"

namespace jostle::rt {

class Thinning {
 public:
  static constexpr uint64_t kWindow = 100'000;  // decisions

  // `longest`: events of the longest run so far. With `everything` nothing is skipped: a person
  // looks at every step.
  void begin_run(uint64_t seed, uint64_t longest, bool everything = false) {
    gap_ = 1;
    decisions_ = 0;
    window_from_ = 0;
    window_until_ = everything ? UINT64_MAX : kWindow;
    next_ = 0;
    settle();
    if (everything) return;
    const uint64_t luck = combine(0x7468696E, seed);
    if (longest < channel::kLongRun || luck % 4 == 0) return;
    // Somewhere: until then one event in so many that the run gets there in a tenth of the window.
    window_from_ = (luck >> 8) % longest;
    window_until_ = UINT64_MAX;
    gap_ = 1 + window_from_ / (kWindow / 10);
    settle();
  }
  // In an ordinary run: nothing to skip so far.
  bool active() const { return gap_ > 1; }
  // … and the next decision changes nothing about that.
  bool is_in_detail() const { return decisions_ + 1 < detail_until_; }
  // It is made.
  void decided_in_detail() {
    JOSTLE_CHECK(is_in_detail());
    ++decisions_;
  }
  // Synchronisation is decided about longer than memory.
  bool skips(bool memory, uint64_t events) const {
    if (events >= next_) return false;
    return memory || decisions_ > 3 * kWindow || window_from_ != 0;
  }
  // Events until a decision is made even about memory.
  uint64_t left(uint64_t events) const { return next_ > events ? next_ - events : 0; }
  // A decision is made, at this event of the run. False: as nearly always, nothing has changed by
  // it.
  bool decided(uint64_t events) {
    if (++decisions_ < detail_until_) [[likely]]
      return false;
    if (window_from_ != 0 && events >= window_from_) {
      window_from_ = 0;
      window_until_ = decisions_ + kWindow;
      gap_ = 1;
    } else if (decisions_ >= window_until_ && window_from_ == 0) {
      window_until_ += kWindow / 2;
      if (gap_ < kMostGap) gap_ = gap_ == 1 ? kFirstGap : 2 * gap_;
    }
    // Not always the same distance: a loop would meet it at the same place.
    next_ = gap_ == 1 ? 0 : events + 1 + combine(events, decisions_) % (2 * gap_);
    settle();
    return true;
  }

 private:
  static constexpr uint64_t kFirstGap = 32;
  static constexpr uint64_t kMostGap = 1 << 14;

  void settle() { detail_until_ = gap_ == 1 && window_from_ == 0 ? window_until_ : 0; }

  uint64_t gap_ = 1;  // events from decision to decision, on average
  uint64_t next_ = 0;
  uint64_t decisions_ = 0;
  uint64_t window_from_ = 0;   // events; 0: it has begun
  uint64_t window_until_ = 0;  // decisions
  uint64_t detail_until_ = 0;  // decisions; until then every operation is one. 0: not now
};

}  // namespace jostle::rt
