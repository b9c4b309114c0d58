// SPDX-License-Identifier: Apache-2.0
// In which order do threads take locks? Whenever one takes a lock while it holds others, an edge
// from each of those to it goes into the campaign's hub: the command looks for cycles at the end
// (report/explain/lock_cycles.h). A cycle is a deadlock that some schedule may have, although no
// run had it.
//
// Only what threads do while there are others counts, and no trylock: it never waits.
#pragma once

#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

void begin_lock_order(const channel::Channel& channel);
void note_nested_lock();

// The running thread has just acquired what is the last of its held locks.
inline void note_lock_order() {
  if (g_current->held.count() > 1) note_nested_lock();
}

}  // namespace jostle::rt
