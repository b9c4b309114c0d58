// SPDX-License-Identifier: Apache-2.0
// What event loops called in a run.
#pragma once

#include <cstdint>

namespace jostle::channel {

// What an event loop called a callback for, as far as it is known.
enum class Trigger : uint32_t {
  unknown,
  descriptor,  // one that was ready: `descriptor`
  timer,       // its wait timed out, or a timerfd expired
  none,        // it is no callback but a part of the loop, for it waited itself
};

// A function of the program that an event loop called: a library's loop (see event_loop.h), or the
// program's own (a wait in it reported something, and this function was entered first).
struct CallbackRecord {
  uint32_t thread;  // index into the thread table
  Trigger trigger;
  int32_t descriptor;  // -1: none
  // Where a loop calls functions of its own which call the program's (Asio does), those are noted,
  // too, while recording: 1 + the index of the callback they belong to; 0: it is one itself.
  uint32_t inside;
  uint32_t depth;      // calls of its thread around it
  uint32_t by_name;    // 1: a frame of the loop calls it by its name, nobody has handed it over
  uintptr_t function;  // an address in it
  uintptr_t caller;    // return address into the loop
  uint64_t begin;      // the thread's events so far: its operations are begin + 1 to end
  uint64_t end;        // UINT64_MAX: it has not returned
  int64_t clock;       // virtual time at its begin
};
inline constexpr uint32_t kMaxCallbacks = 1 << 16;  // the first of a run

// Where a run last did something among callbacks that no run had done before: what follows is
// worth to be drawn anew. Counts of the log, and where the running thread was.
struct Progress {
  uint64_t new_features;  // how many
  uint32_t choices, segments;
  uint32_t thread;
  uint32_t callbacks;  // of the whole run
  uint64_t events;
};

}  // namespace jostle::channel
