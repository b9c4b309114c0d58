// SPDX-License-Identifier: Apache-2.0
// How much time the work of threads takes, for the timers that wait for it.
//
// While a timer is armed, time passes with what threads do: so much per event, more per step. It is
// not added to the clock little by little but owed, until it is enough for the next timer; then the
// segment ends with kTimePassed in the log, the clock jumps, and a replay does the same there. Work
// is cheap, so that a watchdog of seconds does not bite who only computes. A loop that does nothing
// but read what does not change is no work: there time goes by faster and faster. And a timer
// always comes before a limit of the run, because it may be what ends the run.
//
// The same looks serve other processes that the program has started: while threads are busy, those
// are given a little real time now and then, and what they did is noticed.
#pragma once

#include <cstdint>

#include "src/runtime/scheduler/fairness/spin_detector.h"
#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

struct BusyTime {
  static constexpr Nanoseconds kPerEvent = 200;
  static constexpr Nanoseconds kPerStep = 10'000;
  static constexpr Nanoseconds kPerIdleEvent = 1'000;
  static constexpr uint64_t kEventsPerLook = 10'000;
  static constexpr uint32_t kSamples = 600;  // accesses, enough for twenty rounds of a small loop

  static constexpr Nanoseconds kFirstNap = 50'000;
  static constexpr Nanoseconds kLongestNap = 10'000'000;
  static constexpr Nanoseconds kLongestFamilyNap = 500'000;
  static constexpr Nanoseconds kMostOutside = 4'000'000'000;

  // In events of the whole run: when to look next. UINT64_MAX while no timer is armed.
  uint64_t look_at = UINT64_MAX;
  uint64_t events = 0, steps = 0;  // of the run when it was looked last
  Nanoseconds owed = 0;
  Nanoseconds owed_idle = 0;  // the part of it in which nothing was done
  uint32_t idle_looks = 0;    // in a row
  uint32_t hurries = 0;       // looks since the run got close to a limit
  uint32_t samples_left = 0;  // of the accesses that are looked at now
  SpinDetector sample;
  bool is_due = false;                      // the next decision lets time pass
  bool segment_ended = false;               // it has: the end of the segment is in the log already
  Nanoseconds outside_nap = kFirstNap;      // real time, for the processes outside
  Nanoseconds outside_left = kMostOutside;  // of the run
  Nanoseconds outside_given = 0;            // since spinners let time pass
  Nanoseconds processor_extra = 0;          // processor time that is not in the number of events
  // In a child of fork(): what all threads, and the one that it has, had done before.
  uint64_t events_of_parent = 0, events_of_forking = 0;
  uint32_t forking = 0;  // its index
};

}  // namespace jostle::rt
