// SPDX-License-Identifier: Apache-2.0
// What may run in a signal handler of ours, said once.
//
// Three handlers are ours: of faults (interpose/signal/fatal_signals.cc), of the watchdog
// (oracle/watchdog.cc), of signals from outside (interpose/signal/signal.cc). They interrupt
// anything: the program, libc with its locks held, our own hooks half-way, but never each other's
// kind and never a rewind. Until a handler knows that what it interrupted will not go on, it may
//
//   - read and write variables that are written nowhere else, or in one store;
//   - make raw system calls, and read memory by safe_read;
//   - open a page of the image (image_on_fault). That allocates engine memory, so no hook writes to
//     a page of the image while it allocates: engine memory is not in the image.
//
// It may not allocate run memory or from the target's heap, take a decision of the scheduler's,
// begin a run, or call a function of libc that locks. A fault or a time-out that ends the run is
// `leaves_handler`: from there on nothing returns to what was interrupted, and everything that ends
// runs may run. The program's own handlers never run inside of ours
// (interpose/signal/signal_frame.h).
//
// Checked builds know where they are.
#pragma once

#include "src/base/check.h"
#include "src/base/kept.h"

namespace jostle {

#ifdef JOSTLE_CHECKS

extern JOSTLE_HIDDEN bool g_in_handler;

class InHandler {
 public:
  InHandler() : outer_(g_in_handler) { g_in_handler = true; }
  ~InHandler() { g_in_handler = outer_; }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

 private:
  bool outer_;  // a fault of the program may be met while the watchdog looks at its memory
};

inline bool in_handler() { return g_in_handler; }
inline void leaves_handler() { g_in_handler = false; }

#else

class InHandler {
 public:
  InHandler() {}
};
constexpr bool in_handler() { return false; }
inline void leaves_handler() {}

#endif

}  // namespace jostle
