// SPDX-License-Identifier: Apache-2.0
// What an exhaustive search knows of its tree.
#pragma once

#include <cstdint>

#include "src/schedule/action_trail.h"
#include "src/schedule/operation.h"
#include "src/schedule/run_end.h"

namespace jostle::channel {

struct Exploration {
  uint64_t explored = 0;    // different schedules that were run
  uint64_t unexplored = 0;  // known to be left
  int64_t bound = -1;       // up to which all were explored; -1: no bounded search, or none yet
  int64_t radius = -1;      // around a recorded execution, in reversed races; -1: not around one
  uint32_t finished = 0;    // nothing is left to do
  uint32_t everything = 0;  // and beyond the bound there is nothing either
  // Of a reduced search, which counts runs that differ only in the order of independent steps once.
  uint32_t is_reduced = 0;
  uint32_t assumptions = 0;  // Assumption bits
  uint64_t blocked = 0;      // of the explored: those that ended in a loop that waits
  uint64_t deadlocks = 0;    // and those that ended in a deadlock
  uint64_t redundant = 0;    // runs beside them that turned out to be like earlier ones
  uint64_t estimate = 0;     // how many there will have been
  // With weak memory runs may be the same execution: how many different ones they were, without
  // those that are blocked.
  uint32_t is_weak = 0;
  uint64_t distinct = 0;
  TrailGap gap = TrailGap::none;  // why it is not complete although nothing is left
  uintptr_t gap_pc = 0;
};

// A node of the scheduling graph as it is drawn, with the edge that leads to it.
enum class GraphState : uint32_t {
  open,      // a decision
  end,       // of a run
  finished,  // a decision below which all is explored and no longer kept
  // Of a reduced search nodes are executions; the edge is the race whose reversal has led there.
  execution,
  blocked,  // one that ended in a loop that waits
};
inline constexpr uint32_t kNoGraphNode = UINT32_MAX;
struct GraphNode {
  uint32_t parent;  // index; kNoGraphNode: this is the root
  uint32_t thread;  // whom the edge runs; of a race: who comes first now
  uintptr_t pc;     // and what it executes
  OpKind kind;      // none: a choice that is not about threads
  Outcome outcome;  // of an end
  GraphState state;
  uint32_t other_thread;  // of a race: who came first before, and with what
  OpKind other_kind;
  uintptr_t other_pc;
  uint64_t value;     // unexplored continuations known below; of an execution its exit code
  uint64_t explored;  // ends below
};
inline constexpr uint32_t kMaxGraphNodes = 1 << 16;

}  // namespace jostle::channel
