// SPDX-License-Identifier: Apache-2.0
// The scheduling graph (threadfuzzer-net, section 4.1): all schedules run so far, as a tree.
//
// A node is a decision, an edge what was decided, a leaf the end of a run, whatever end it was. The
// value of a node is the number of unexplored continuations known below it: the sum over its
// children, and one for every alternative without an edge. A new schedule follows nodes whose value
// is not zero, takes an alternative without an edge and then goes on freely; when the root's value
// is zero there is no schedule left.
//
// Where we differ: the graph is kept from run to run and costs O(length of the run) to bring up to
// date; subtrees without anything left are dropped, so that a depth-first search needs memory for
// one run only; a random search walks at random instead of drawing from all that is unexplored,
// most of which lies deep down in what it knows best, and goes on depth-first once it has spread
// too far.
//
// Decisions are noted during a run in memory that forked runs share, and become part of the graph
// after it (`end_run`).
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/rng.h"
#include "src/schedule/exploration.h"
#include "src/schedule/run_end.h"

namespace jostle {

class SchedulingGraph {
 public:
  enum class Search {
    first,   // depth first: the first unexplored schedule there is
    random,  // at every decision any alternative with something unexplored, equally likely
  };
  explicit SchedulingGraph(Search search);

  // ---- during a run
  void begin_run(uint64_t seed);
  // A decision between `alternatives` (at least 2). `shape` is equal for equal situations: when it
  // is not the one known for this place, the program does not do the same thing twice.
  uint32_t decide(uint32_t alternatives, uint64_t shape);
  // What the last decision means, for the drawing of the graph.
  void label(uint32_t thread, OpKind kind, uintptr_t pc);
  // Some alternatives were not offered: they are beyond the bound of the search.
  void note_cut() { trail_->cut = 1; }

  // ---- after it
  void end_run(channel::Outcome outcome);
  // Was an alternative ever left out since `clear`?
  bool was_cut() const { return cut_; }
  // The program did something else than before at least once: what is explored is not certain.
  bool is_exact() const { return exact_; }
  uint64_t unexplored() const { return runs_ ? value_of(root_) : 1; }
  uint64_t explored() const { return explored_; }
  uint32_t nodes() const { return node_count_; }
  // Forgets everything.
  void clear();

  // Finished subtrees are kept, up to a limit, to be drawn.
  void keep_finished() { keeps_finished_ = true; }
  // Writes at most `room` nodes, every one behind its parent; the number of them.
  uint32_t draw(channel::GraphNode* to, uint32_t room) const;

 private:
  // Where an edge leads: a node, or one of these.
  enum : uint32_t { kUnexplored = 0, kEnd = 1, kFinished = 2, kFirstNode = 3 };

  struct Edge {
    uint32_t to;
    uint32_t thread;
    uintptr_t pc;
    uint64_t explored;  // kFinished: ends below
    OpKind kind;
    channel::Outcome outcome;  // kEnd
  };
  struct Node {
    uint64_t value;
    uint64_t explored;
    uint32_t shape;
    uint32_t alternatives;
    uint32_t edges;  // the first of them
  };
  struct Step {
    uint32_t alternatives, taken;
    uint32_t shape;
    uint32_t thread;
    uintptr_t pc;
    OpKind kind;
  };
  struct Trail {
    uint32_t length;
    uint32_t overflow;
    uint32_t cut;
    Step steps[1];
  };

  uint64_t value_of(uint32_t to) const { return to < kFirstNode ? 0 : nodes_[to].value; }
  bool has_more(const Edge& edge) const { return edge.to == kUnexplored || value_of(edge.to); }
  uint32_t choose_edge(const Node& node);
  uint32_t new_node(const Step& step);
  void free_node(uint32_t index);
  void free_below(uint32_t index);
  void add_path();
  void update_values();

  Search search_;
  bool keeps_finished_ = false;
  Trail* trail_;
  Rng rng_;
  uint32_t at_ = kUnexplored;  // the node of the next decision, while the run is on known ground

  uint32_t root_ = kUnexplored;
  uint64_t runs_ = 0;
  uint64_t explored_ = 0;
  bool cut_ = false;
  bool exact_ = true;
  uint32_t node_count_ = 0;
  EngineVector<Node> nodes_;
  EngineVector<uint32_t> free_nodes_;
  EngineVector<Edge> edges_;
  EngineVector<EngineVector<uint32_t>*> free_edges_;  // by number of alternatives
  EngineVector<uint32_t> path_;
  EngineVector<uint32_t> todo_;
};

}  // namespace jostle
