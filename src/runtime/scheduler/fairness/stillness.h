// SPDX-License-Identifier: Apache-2.0
// Does a thread do the same for ever?
//
// That a loop reads the same values again and again is no proof: it may count its rounds in a
// register. So a suspect is watched. Each time it comes to the same operation its whole state is
// compared: registers, stack, and every word that it has written meanwhile. A thread that is back
// in the very state it was in before, with nobody else having changed anything, can only go round
// again.
//
// Brent's cycle finding: remember one state, and a later one at growing distances, so that what
// comes before the cycle does not matter. The hidden rest (variables of libraries that were not
// instrumented) is why a cycle is believed only after many rounds.
#pragma once

#include <cstdint>
#include <span>

#include "src/schedule/operation.h"

namespace jostle::rt {

class Stillness {
 public:
  struct Place {
    OpKind kind = OpKind::none;
    uintptr_t object = 0;
    uintptr_t pc = 0;
    bool operator==(const Place&) const = default;
  };
  enum class Verdict : uint8_t { unknown, still, moves };

  static constexpr uint32_t kMostWords = 48;

  // `in_large_steps`: the clock goes so, and it may be asked (polling.h).
  void start(bool in_large_steps = false) {
    *this = {};
    watching_ = true;
    in_large_steps_ = in_large_steps;
  }
  void stop() { watching_ = still_ = false; }
  bool watching() const { return watching_; }
  bool still() const { return still_; }
  // A round has brought it back to where it was: what it writes meanwhile is no news, so far.
  bool repeats() const { return watching_ && rounds_ > 0; }
  // Another thread has changed something. It is watched anew: that one may do nothing but go round,
  // too, and only has not been watched yet.
  void disturb() {
    still_ = false;
    rounds_ = 0;
    if (disturbances_ == kMostDisturbances) return;
    ++disturbances_;
    events_ = compared_ = 0;
  }

  // Others could have run.
  void steps() { stepped_ = true; }
  // They could not while it went round.
  bool in_one_step() const { return !stepped_; }

  // A hash of all that the thread's further way depends on, written_words() included, and where the
  // program's stack ended.
  struct State {
    uint64_t hash = 0;
    uintptr_t frame = 0;
  };

  // The thread is about to do this. `state()` is slow; `part(frame)` is a hash of a part of it,
  // that near the frame, which is fast: where it has changed, all has.
  template <typename Whole, typename Part>
  Verdict about_to(const Place& place, Whole&& state, Part&& part) {
    ++events_;
    if (place == anchor_) {
      ++compared_;
      const bool is_due = visits_ + 1 >= renewal_;
      if (!is_due && part(state_.frame) != part_) {
        ++visits_;
      } else if (const State now = state(); now.hash == state_.hash) {
        visits_ = 0;
        if (++rounds_ >= enough()) still_ = true;
        had_rounds_ |= rounds_ >= kSomeRounds;
      } else if (++visits_ >= renewal_) {
        renewal_ *= 2;
        remember(now, part(now.frame));
      }
    } else if (++distance_ > reach_) {
      reach_ = reach_ ? 2 * reach_ : 4;
      distance_ = 0;
      anchor_ = place;
      const State now = state();
      remember(now, part(now.frame));
    }
    if (place == anchor_) distance_ = 0;
    if (still_) return Verdict::still;
    const uint32_t most = in_large_steps_ ? kMostComparedInLargeSteps : kMostCompared;
    const bool left = in_large_steps_ && had_rounds_;
    const bool hopeless = rounds_ == 0 && (left || compared_ > most || events_ > kMostEvents);
    return hopeless || overflow_ ? Verdict::moves : Verdict::unknown;
  }

  // It writes to the word at this address (a multiple of eight), or changes an object there.
  void writes(uintptr_t word) {
    wrote_ = true;
    for (uint32_t i = 0; i < word_count_; ++i) {
      if (words_[i] == word) return;
    }
    if (word_count_ == kMostWords) {
      overflow_ = true;
    } else {
      words_[word_count_++] = word;
    }
  }
  // It waits for time to pass: that changes nothing that it could see without asking for the time.
  void sleeps() { wrote_ = true; }
  bool overflows() const { return overflow_; }
  std::span<const uintptr_t> written_words() const { return {words_, word_count_}; }

 private:
  // Two would do if everything were seen. A thread that writes in between, a lock say, could be met
  // by others in the middle: that takes more, under turns of changing length.
  static constexpr uint32_t kRounds = 2'000;
  static constexpr uint32_t kRoundsWithWrites = 5'000;
  // States compared, and events, before it is said to move.
  static constexpr uint32_t kMostCompared = 512;
  // A thread that leaves its loop gets back its time at once.
  static constexpr uint32_t kMostComparedInLargeSteps = 64;
  static constexpr uint32_t kSomeRounds = 8;
  static constexpr uint32_t kMostEvents = 8'192;
  // So often it is not said to move because of another thread.
  static constexpr uint32_t kMostDisturbances = 64;

  uint32_t enough() const {
    // With large steps so much time has passed then that no deadline is left, and not so much that
    // programs' counters of it overflow.
    if (in_large_steps_) return kRounds;
    const uint32_t rounds = wrote_ ? kRoundsWithWrites : kRounds;
    return events_ > kMostEvents ? rounds / 4 : rounds;  // long rounds
  }
  void remember(const State& state, uint64_t part) {
    state_ = state;
    part_ = part;
    visits_ = rounds_ = 0;
    stepped_ = false;
  }

  bool watching_ = false, still_ = false, wrote_ = false, overflow_ = false, stepped_ = false;
  bool in_large_steps_ = false, had_rounds_ = false;
  Place anchor_;
  State state_;
  uint64_t part_ = 0;
  uint64_t events_ = 0;
  uint32_t rounds_ = 0;
  uint32_t visits_ = 0;    // of the anchor, since a state was remembered or met again
  uint32_t renewal_ = 1;   // after so many another state is remembered
  uint32_t distance_ = 0;  // events since the anchor
  uint32_t reach_ = 0;     // after so many another anchor is taken
  uint32_t compared_ = 0;
  uint32_t disturbances_ = 0;
  uint32_t word_count_ = 0;
  uintptr_t words_[kMostWords];
};

}  // namespace jostle::rt
