// SPDX-License-Identifier: Apache-2.0
// By reversing a race of which other execution each one was found: to be drawn.
//
// A run is found by a reversal that an earlier run planned. Kept are the first executions, as many
// as a drawing has room for, each with its parent, which is one of them.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/schedule/exploration.h"
#include "src/schedule/run_record.h"
#include "src/strategy/dpor/action.h"

namespace jostle::dpor {

class ExecutionTree {
 public:
  // A step of a run.
  struct Place {
    uint32_t thread = 0;  // by its order of creation
    OpKind kind = OpKind::none;
    uintptr_t pc = 0;
  };

  void keep() { is_kept_ = true; }
  bool is_kept() const { return is_kept_; }
  bool is_full() const { return nodes_.size() >= channel::kMaxGraphNodes; }
  void clear() {
    nodes_.clear();
    reversals_.clear();
    last_ = channel::kNoGraphNode;
    left_out_ = 0;
  }

  // A run is over, which one of the reversals has led to; kNone: it is the first.
  void add_run(uint32_t reversal, bool is_execution, bool is_blocked,
               const channel::RunRecord& run) {
    channel::GraphNode node = {};
    node.parent = channel::kNoGraphNode;
    const bool is_first = reversal == kNone && nodes_.empty();
    if (!is_first && reversal >= reversals_.size()) {  // nobody has kept it
      last_ = channel::kNoGraphNode;
      left_out_ += is_execution;
      return;
    }
    if (!is_first) {
      const Reversal& by = reversals_[reversal];
      node.parent = by.parent;
      node.thread = by.second.thread;
      node.kind = by.second.kind;
      node.pc = by.second.pc;
      node.other_thread = by.first.thread;
      node.other_kind = by.first.kind;
      node.other_pc = by.first.pc;
    }
    if (!is_execution) {  // what it leads to is as if it had been found by who led to it
      last_ = node.parent;
      return;
    }
    if (is_full()) {
      last_ = channel::kNoGraphNode;
      ++left_out_;
      return;
    }
    node.state = is_blocked ? channel::GraphState::blocked : channel::GraphState::execution;
    node.outcome = run.end.outcome;
    node.value = static_cast<uint64_t>(run.end.code);
    last_ = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back(node);
  }

  uint32_t reversals() const { return static_cast<uint32_t>(reversals_.size()); }
  // One that the run that is over has planned: `second` comes before `first`. A choice that is made
  // otherwise has no second.
  void add_reversal(const Place& first, const Place& second) {
    reversals_.push_back({last_, first, second});
  }

  uint32_t draw(channel::GraphNode* to, uint32_t room) const {
    uint32_t count = 0;
    for (; count < nodes_.size() && count < room; ++count) to[count] = nodes_[count];
    return count;
  }
  uint64_t left_out() const { return left_out_; }

 private:
  struct Reversal {
    uint32_t parent;
    Place first, second;
  };

  bool is_kept_ = false;
  EngineVector<channel::GraphNode> nodes_;
  EngineVector<Reversal> reversals_;
  uint32_t last_ = channel::kNoGraphNode;
  uint64_t left_out_ = 0;
};

}  // namespace jostle::dpor
