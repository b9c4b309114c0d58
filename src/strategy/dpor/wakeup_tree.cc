// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/wakeup_tree.h"

namespace jostle::dpor {

namespace {

void remove_step(EngineVector<Step>& sequence, size_t at) {
  for (size_t i = at + 1; i < sequence.size(); ++i) sequence[i - 1] = sequence[i];
  sequence.pop_back();
}

}  // namespace

WakeupTree::Node WakeupTree::make(const Step& step) {
  ++in_use_;
  if (free_ != kNone) {
    const Node node = free_;
    free_ = nodes_[node].next;
    nodes_[node] = {step, kNone, kNone};
    return node;
  }
  nodes_.push_back({step, kNone, kNone});
  return static_cast<Node>(nodes_.size()) - 1;
}

void WakeupTree::release(Node node) {
  --in_use_;
  nodes_[node].next = free_;
  free_ = node;
}

uint32_t WakeupTree::child_count(Node node) const {
  uint32_t count = 0;
  for (Node child = first_child(node); child != kNone; child = next(child)) ++count;
  return count;
}

WakeupTree::Node WakeupTree::append_child(Node parent, const Step& step) {
  const Node added = make(step);
  Node last = first_child(parent);
  if (last == kNone) {
    nodes_[parent].first_child = added;
    return added;
  }
  while (next(last) != kNone) last = next(last);
  nodes_[last].next = added;
  return added;
}

// Without recursion: what is planned may be as long as a run.
void WakeupTree::list_from(Node node, EngineVector<Planned>& to) {
  open_.clear();
  Node child = node;
  while (child != kNone || !open_.empty()) {
    if (child == kNone) {
      child = next(open_.pop_back());
      continue;
    }
    open_.push_back(child);
    to.push_back({step(child), static_cast<uint32_t>(open_.size())});
    child = first_child(child);
  }
}

void WakeupTree::add_below(Node node, const Planned* from, size_t count) {
  open_.clear();  // the last of each depth
  open_.push_back(node);
  for (size_t i = 0; i < count; ++i) {
    open_.resize(from[i].depth - from[0].depth + 1);
    open_.push_back(append_child(open_.back(), from[i].step));
  }
}

void WakeupTree::remove_first_child(Node parent) {
  const Node child = first_child(parent);
  while (first_child(child) != kNone) remove_first_child(child);
  nodes_[parent].first_child = next(child);
  release(child);
}

void WakeupTree::remove_other_children(Node parent) {
  const Node first = first_child(parent);
  while (next(first) != kNone) {
    const Node other = next(first);
    while (first_child(other) != kNone) remove_first_child(other);
    nodes_[first].next = next(other);
    release(other);
  }
}

void WakeupTree::push(Node& head, const Step& step) {
  const Node added = make(step);
  nodes_[added].next = head;
  head = added;
}

void WakeupTree::release_list(Node head) {
  while (head != kNone) {
    const Node following = next(head);
    release(head);
    head = following;
  }
}

bool WakeupTree::can_begin(const EngineVector<Step>& sequence, const Step& step, size_t* at) const {
  for (size_t i = 0; i < sequence.size(); ++i) {
    *at = i;
    if (same(sequence[i], step)) return true;
    if (dependent(sequence[i], step)) return false;
  }
  *at = sequence.size();
  return true;
}

WakeupTree::Node WakeupTree::insert(Node node, EngineVector<Step>& sequence) {
  if (!lacks(node, sequence)) return kNone;
  Node first = kNone;
  for (const Step& added : sequence) {
    node = append_child(node, added);
    if (first == kNone) first = node;
  }
  return first;
}

bool WakeupTree::lacks(Node& node, EngineVector<Step>& sequence) const {
  while (first_child(node) != kNone) {
    Node child = first_child(node);
    size_t at = 0;
    while (child != kNone && !can_begin(sequence, step(child), &at)) child = next(child);
    if (child == kNone) return true;
    // What is run from there includes the whole sequence.
    if (at == sequence.size() || sequence.size() == 1) return false;
    remove_step(sequence, at);
    node = child;
  }
  return false;
}

void WakeupTree::clear() {
  nodes_.clear();
  free_ = kNone;
  in_use_ = 0;
}

}  // namespace jostle::dpor
