// SPDX-License-Identifier: Apache-2.0
// Things that are done once: pthread_once_t (and once_flag of C11, the same word), the guard of a
// function-local static (Itanium C++ ABI), and std::once_flag of libc++.
//
// All are undone, running (by whom is known) or done. A routine that leaves by an exception or a
// cancellation makes it undone again.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "src/runtime/sync/owner.h"

namespace jostle::sync {

struct Once {  // glibc: bit 0 running, bit 1 done, the rest is its fork generation, ours the runner
  int32_t word;
};
static_assert(sizeof(Once) == sizeof(pthread_once_t));

struct Guard {
  uint8_t done;     // the compiler's code tests this byte
  uint8_t running;  // as libstdc++ does it
  uint8_t unused[2];
  int32_t runner;
};
static_assert(sizeof(Guard) == 8);

// Of libc++: 0, then 1 while it runs, all ones when done. While it runs here: who runs it.
struct OnceFlag {
  unsigned long word;
};

inline Once& state_of(pthread_once_t* once) { return *reinterpret_cast<Once*>(once); }

bool is_done(const Once& once);
bool is_running(const Once& once);
// Owner::nobody when it is not running, or since before our control began.
Owner runner(const Once& once);
void begin(Once& once, Owner me);
void finish(Once& once);
void abandon(Once& once);

bool is_done(const Guard& guard);
bool is_running(const Guard& guard);
Owner runner(const Guard& guard);
void begin(Guard& guard, Owner me);
void finish(Guard& guard);
void abandon(Guard& guard);

bool is_done(const OnceFlag& flag);
bool is_running(const OnceFlag& flag);
Owner runner(const OnceFlag& flag);
void begin(OnceFlag& flag, Owner me);
void finish(OnceFlag& flag);
void abandon(OnceFlag& flag);

}  // namespace jostle::sync
