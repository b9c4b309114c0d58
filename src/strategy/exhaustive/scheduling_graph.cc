// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/exhaustive/scheduling_graph.h"

#include <new>

#include "src/base/check.h"

namespace jostle {
namespace {

// Longer runs have decisions that are not explored, and are never called complete.
constexpr uint32_t kMostSteps = 1 << 21;
// A random search keeps this many nodes, then it finishes what it has begun.
constexpr uint32_t kMostNodes = 1 << 20;
// Finished subtrees are kept for drawing up to this many nodes.
constexpr uint32_t kMostDrawn = channel::kMaxGraphNodes / 2;

}  // namespace

SchedulingGraph::SchedulingGraph(Search search) : search_(search) {
  const size_t bytes = sizeof(Trail) + size_t{kMostSteps} * sizeof(Step);
  trail_ = static_cast<Trail*>(map_shared_engine_memory(bytes));
  if (!trail_) trail_ = static_cast<Trail*>(engine_allocate(bytes));
  nodes_.resize(kFirstNode);
}

// ---- during a run -------------------------------------------------------------------------------

void SchedulingGraph::begin_run(uint64_t seed) {
  rng_.reseed(seed);
  trail_->length = trail_->overflow = trail_->cut = 0;
  at_ = root_;
}

uint32_t SchedulingGraph::decide(uint32_t alternatives, uint64_t shape) {
  JOSTLE_CHECK_LE(2, alternatives);
  if (trail_->length == kMostSteps) {
    trail_->overflow = 1;
    return 0;
  }
  Step& step = trail_->steps[trail_->length++];
  step = {};
  step.alternatives = alternatives;
  step.shape = static_cast<uint32_t>(shape);
  const Node* node = at_ < kFirstNode ? nullptr : &nodes_[at_];
  if (node && (node->shape != step.shape || node->alternatives != alternatives)) node = nullptr;
  if (node) {
    step.taken = choose_edge(*node);
    at_ = edges_[node->edges + step.taken].to;
  } else {
    step.taken =
        search_ == Search::random ? static_cast<uint32_t>(rng_.below(alternatives)) : uint32_t{0};
    at_ = kUnexplored;
  }
  JOSTLE_CHECK_LT(step.taken, alternatives);
  return step.taken;
}

uint32_t SchedulingGraph::choose_edge(const Node& node) {
  const Edge* edges = &edges_[node.edges];
  if (search_ == Search::random && node_count_ < kMostNodes && node.value) {
    uint32_t open = 0;
    for (uint32_t i = 0; i < node.alternatives; ++i) open += has_more(edges[i]);
    JOSTLE_CHECK(open != 0);  // a value is the sum of what lies below
    uint64_t n = rng_.below(open);
    for (uint32_t i = 0; i < node.alternatives; ++i) {
      if (has_more(edges[i]) && n-- == 0) return i;
    }
  }
  uint32_t unexplored = node.alternatives;
  for (uint32_t i = 0; i < node.alternatives; ++i) {
    if (value_of(edges[i].to)) return i;
    if (edges[i].to == kUnexplored && unexplored == node.alternatives) unexplored = i;
  }
  return unexplored < node.alternatives ? unexplored : 0;
}

void SchedulingGraph::label(uint32_t thread, OpKind kind, uintptr_t pc) {
  if (trail_->length == 0) return;
  Step& step = trail_->steps[trail_->length - 1];
  step.thread = thread;
  step.kind = kind;
  step.pc = pc;
}

// ---- after it -----------------------------------------------------------------------------------

void SchedulingGraph::end_run(channel::Outcome outcome) {
  ++runs_;
  if (trail_->cut) cut_ = true;
  if (trail_->overflow) exact_ = false;
  if (trail_->length == 0) {  // nothing to decide: the one schedule there is
    if (root_ >= kFirstNode) exact_ = false;
    explored_ = 1;
    return;
  }
  add_path();
  const Step& last = trail_->steps[trail_->length - 1];
  Edge& end = edges_[nodes_[path_.back()].edges + last.taken];
  if (end.to >= kFirstNode) {  // it went on from here before
    exact_ = false;
    free_below(end.to);
  }
  if (end.to == kUnexplored) ++explored_;
  end.to = kEnd;
  end.outcome = outcome;
  JOSTLE_CHECK_EQ(path_.size(), trail_->length);
  update_values();
  JOSTLE_CHECK_LE(kFirstNode, root_);
  JOSTLE_CHECK(!exact_ || nodes_[root_].explored == explored_);
}

// Makes the nodes that the run has passed and that are not there yet; `path_` holds all it passed.
void SchedulingGraph::add_path() {
  path_.clear();
  for (uint32_t i = 0; i < trail_->length; ++i) {
    const Step& step = trail_->steps[i];
    uint32_t to = root_;
    if (i) to = edges_[nodes_[path_[i - 1]].edges + trail_->steps[i - 1].taken].to;
    const bool known = to >= kFirstNode;
    const bool same =
        known && nodes_[to].shape == step.shape && nodes_[to].alternatives == step.alternatives;
    if (!same) {
      if (known) free_below(to);
      if (to != kUnexplored) exact_ = false;
      to = new_node(step);
      if (i) {
        edges_[nodes_[path_[i - 1]].edges + trail_->steps[i - 1].taken].to = to;
      } else {
        root_ = to;
      }
    }
    Edge& edge = edges_[nodes_[to].edges + step.taken];
    edge.thread = step.thread;
    edge.kind = step.kind;
    edge.pc = step.pc;
    path_.push_back(to);
  }
}

void SchedulingGraph::update_values() {
  for (size_t i = path_.size(); i-- > 0;) {
    Node& node = nodes_[path_[i]];
    node.value = node.explored = 0;
    for (uint32_t k = 0; k < node.alternatives; ++k) {
      const Edge& edge = edges_[node.edges + k];
      if (edge.to == kUnexplored) ++node.value;
      if (edge.to == kEnd) ++node.explored;
      if (edge.to == kFinished) node.explored += edge.explored;
      if (edge.to < kFirstNode) continue;
      JOSTLE_CHECK_NE(edge.to, path_[i]);
      node.value += nodes_[edge.to].value;
      node.explored += nodes_[edge.to].explored;
    }
    JOSTLE_CHECK(i == 0 || node.explored != 0);  // this very run ended below
    const bool drop = !keeps_finished_ || node_count_ > kMostDrawn;
    if (node.value || i == 0 || !drop) continue;
    Edge& edge = edges_[nodes_[path_[i - 1]].edges + trail_->steps[i - 1].taken];
    edge.explored = node.explored;
    edge.to = kFinished;
    free_below(path_[i]);
  }
}

void SchedulingGraph::clear() {
  if (root_ >= kFirstNode) free_below(root_);
  JOSTLE_CHECK_EQ(node_count_, 0);
  root_ = kUnexplored;
  runs_ = explored_ = 0;
  cut_ = false;
  exact_ = true;
}

// ---- nodes --------------------------------------------------------------------------------------

uint32_t SchedulingGraph::new_node(const Step& step) {
  const uint32_t n = step.alternatives;
  if (n >= free_edges_.size()) free_edges_.resize(n + 1);
  uint32_t edges;
  if (free_edges_[n] && !free_edges_[n]->empty()) {
    edges = free_edges_[n]->pop_back();
  } else {
    edges = static_cast<uint32_t>(edges_.size());
    edges_.resize(edges_.size() + n);
  }
  for (uint32_t i = 0; i < n; ++i) edges_[edges + i] = {};
  uint32_t index;
  if (!free_nodes_.empty()) {
    index = free_nodes_.pop_back();
  } else {
    index = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({});
  }
  nodes_[index] = {
      .value = n, .explored = 0, .shape = step.shape, .alternatives = n, .edges = edges};
  ++node_count_;
  JOSTLE_CHECK_LE(kFirstNode, index);
  JOSTLE_CHECK_EQ(node_count_ + free_nodes_.size() + kFirstNode, nodes_.size());
  return index;
}

void SchedulingGraph::free_node(uint32_t index) {
  JOSTLE_CHECK(index >= kFirstNode && node_count_ != 0);
  const Node& node = nodes_[index];
  EngineVector<uint32_t>*& free = free_edges_[node.alternatives];
  if (!free) free = new (engine_allocate(sizeof *free)) EngineVector<uint32_t>;
  free->push_back(node.edges);
  free_nodes_.push_back(index);
  --node_count_;
}

// A node and all below it, without recursion: runs can be long.
void SchedulingGraph::free_below(uint32_t index) {
  todo_.push_back(index);
  while (!todo_.empty()) {
    const uint32_t next = todo_.pop_back();
    const Node& node = nodes_[next];
    for (uint32_t i = 0; i < node.alternatives; ++i) {
      const uint32_t to = edges_[node.edges + i].to;
      if (to >= kFirstNode) todo_.push_back(to);
    }
    free_node(next);
  }
}

// ---- drawing ------------------------------------------------------------------------------------

uint32_t SchedulingGraph::draw(channel::GraphNode* to, uint32_t room) const {
  if (root_ < kFirstNode || room == 0) return 0;
  struct Open {
    uint32_t node, drawn;
  };
  EngineVector<Open> todo;
  uint32_t count = 0;
  channel::GraphNode& root = to[count++];
  root = {};
  root.parent = channel::kNoGraphNode;
  root.value = nodes_[root_].value;
  root.explored = nodes_[root_].explored;
  todo.push_back({root_, 0});
  for (size_t next = 0; next < todo.size(); ++next) {
    const Node& node = nodes_[todo[next].node];
    for (uint32_t i = 0; i < node.alternatives && count < room; ++i) {
      const Edge& edge = edges_[node.edges + i];
      if (edge.to == kUnexplored) continue;
      channel::GraphNode& drawn = to[count];
      drawn = {};
      drawn.parent = todo[next].drawn;
      drawn.thread = edge.thread;
      drawn.pc = edge.pc;
      drawn.kind = edge.kind;
      drawn.outcome = edge.outcome;
      drawn.explored = edge.explored;
      drawn.state = edge.to == kEnd        ? channel::GraphState::end
                    : edge.to == kFinished ? channel::GraphState::finished
                                           : channel::GraphState::open;
      if (edge.to >= kFirstNode) {
        drawn.value = nodes_[edge.to].value;
        drawn.explored = nodes_[edge.to].explored;
        todo.push_back({edge.to, count});
      }
      ++count;
    }
  }
  return count;
}

}  // namespace jostle
