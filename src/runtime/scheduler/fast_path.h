// SPDX-License-Identifier: Apache-2.0
// What every instrumented access looks at, side by side: one load where the processor loads pairs.
#pragma once

#include <cstdint>

#include "src/base/kept.h"

namespace jostle::rt {

struct Thread;

struct FastPath {
  // The thread that runs now; null while nothing is controlled (no `jostle` command, or before the
  // runtime is initialised).
  Thread* current = nullptr;
  // The table of sharing.h while there are several threads and all of them are ours; null sends
  // accesses on a detour (see access.h): there is one thread, or the process is somebody else's.
  const uint32_t* watched = nullptr;
};
extern JOSTLE_HIDDEN FastPath g_fast_path;

// Every hook tests it first.
inline constexpr Thread*& g_current = g_fast_path.current;

}  // namespace jostle::rt
