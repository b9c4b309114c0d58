// SPDX-License-Identifier: Apache-2.0
// Wakeup trees: which sequences of steps are still to be run from a state.
//
// A node is a state; its children are the steps to be taken from there, in order, the first one
// first. A leaf stands for everything that begins with the steps that lead to it. Nodes of all
// trees and the members of sleep sets come from one pool.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"

namespace jostle::dpor {

// The next action of a thread, as it is where the step is planned or was taken.
struct Step {
  Thread thread;
  ChoicePath path;  // how its choices begin
  Footprint footprint;
  // Whether it can go on there was not known when it was planned.
  bool is_uncertain = false;
};

class WakeupTree {
 public:
  using Node = uint32_t;

  WakeupTree(const FootprintTable* footprints, const ChoicePaths* paths)
      : footprints_(footprints), paths_(paths) {}

  Node make(const Step& step);
  Step& step(Node node) { return nodes_[node].step; }
  const Step& step(Node node) const { return nodes_[node].step; }
  Node first_child(Node node) const { return nodes_[node].first_child; }
  Node next(Node node) const { return nodes_[node].next; }
  uint32_t child_count(Node node) const;
  size_t nodes_in_use() const { return in_use_; }

  Node append_child(Node parent, const Step& step);
  // The first child with all that is below it.
  void remove_first_child(Node parent);
  // All but the first.
  void remove_other_children(Node parent);

  // A node and those that follow it below the same parent, each with all that is below it, from the
  // top.
  struct Planned {
    Step step;
    uint32_t depth;  // from 1
  };
  void list_from(Node node, EngineVector<Planned>& to);
  // Puts such a list behind the last child of a node.
  void add_below(Node node, const Planned* from, size_t count);

  // Lists of nodes, for sleep sets: `head` is kNone or the first of them.
  void push(Node& head, const Step& step);
  void release_list(Node head);

  // Is whatever begins with one of them included in what begins with the other?
  bool same(const Step& a, const Step& b) const {
    return a.thread == b.thread && paths_->agree(a.path, b.path);
  }
  bool dependent(const Step& a, const Step& b) const {
    return a.thread == b.thread || footprints_->dependent(a.footprint, b.footprint);
  }

  // Could `sequence` as well begin with `step` (is it a weak initial), because nothing that is
  // before it there depends on it? `at` is its position in the sequence, or the sequence's length
  // if it is not in it.
  bool can_begin(const EngineVector<Step>& sequence, const Step& step, size_t* at) const;

  // Makes sure that something equivalent to a run that begins with `sequence` is run from `node`.
  // Changes `sequence`. The first step that has been added; kNone: it was run already, or will be.
  Node insert(Node node, EngineVector<Step>& sequence);
  // Would it have to add steps? Changes `sequence`, too: what is left is to be added below `node`.
  bool lacks(Node& node, EngineVector<Step>& sequence) const;

  void clear();

 private:
  struct Entry {
    Step step;
    Node first_child;
    Node next;
  };

  void release(Node node);

  const FootprintTable* footprints_;
  const ChoicePaths* paths_;
  EngineVector<Entry> nodes_;
  EngineVector<Node> open_;
  Node free_ = kNone;
  size_t in_use_ = 0;
};

}  // namespace jostle::dpor
