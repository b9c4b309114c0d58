// SPDX-License-Identifier: Apache-2.0
// Cycles in the order in which threads take locks: deadlocks that may happen.
//
// Each edge of a cycle comes from another thread, which holds one of its locks and wants the next.
// It is none when two of the threads hold a further lock in common (a gate: they are never there at
// the same time), when a semaphore that they hold lets fewer in, or when both hold and want a lock
// for reading only.
#pragma once

#include <span>
#include <vector>

#include "src/schedule/hub.h"

namespace jostle::report {

using LockCycle = std::vector<const LockEdge*>;

// Shortest first, each set of places in the program once.
std::vector<LockCycle> find_lock_cycles(std::span<const LockEdge> edges);

}  // namespace jostle::report
