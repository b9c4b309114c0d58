// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/serial/serial_tree.h"

#include <bit>

namespace jostle {

bool may_come_next(const History& history, uint32_t operation, uint64_t returned, size_t called) {
  const uint64_t before = history.operations[operation].before;
  if (history.slack == 0) return (before & ~returned) == 0;
  return static_cast<size_t>(std::popcount(before)) <= called + history.slack;
}

namespace {

bool may_begin(const History& history, const SerialCandidate& candidate, uint64_t returned,
               size_t called) {
  return candidate.operation >= history.count ||
         may_come_next(history, candidate.operation, returned, called);
}

// Who is in the middle of something first, then by the order of returns.
uint64_t rank(const History& history, const SerialCandidate& candidate) {
  if (candidate.operation >= history.count) return 0;
  const uint32_t at = history.operations[candidate.operation].return_at;
  return at != 0 ? at : UINT32_MAX;
}

}  // namespace

// By earliest deadlines, which is exact for things that take one place each.
bool is_near_an_order(const History& history, const EngineVector<uint32_t>& order) {
  if (history.slack == 0) return true;
  const auto count = static_cast<int64_t>(order.size());
  const int64_t slack = history.slack;
  int64_t first[kMostOperations], last[kMostOperations];
  uint64_t all = 0;
  for (int64_t place = 0; place < count; ++place) {
    const uint32_t operation = order[static_cast<size_t>(place)];
    first[operation] = place - slack;
    last[operation] = place + slack;
    all |= uint64_t{1} << operation;
  }
  // Who has to come before another has its own window, and that of the other.
  for (int64_t round = 0; round < count; ++round) {
    for (const uint32_t later : order) {
      for (const uint32_t earlier : order) {
        if ((history.operations[later].before >> earlier & 1) == 0) continue;
        if (last[earlier] >= last[later]) last[earlier] = last[later] - 1;
        if (first[later] <= first[earlier]) first[later] = first[earlier] + 1;
      }
    }
  }
  uint64_t placed = 0;
  for (int64_t place = 0; place < count; ++place) {
    uint32_t next = UINT32_MAX;
    for (const uint32_t operation : order) {
      const bool is_free = (placed >> operation & 1) == 0 && first[operation] <= place &&
                           (history.operations[operation].before & all & ~placed) == 0;
      if (is_free && (next == UINT32_MAX || last[operation] < last[next])) next = operation;
    }
    if (next == UINT32_MAX || last[next] < place) return false;
    placed |= uint64_t{1} << next;
  }
  return true;
}

uint32_t suggested(const History& history, const SerialCandidate* candidates, uint32_t count,
                   uint64_t returned) {
  uint32_t best = 0;
  uint64_t best_rank = UINT64_MAX;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t late = may_begin(history, candidates[i], returned, 0) ? 0 : uint64_t{1} << 32;
    const uint64_t now = rank(history, candidates[i]) + late;
    if (now >= best_rank) continue;
    best = i;
    best_rank = now;
  }
  return best;
}

void SerialTree::clear() {
  nodes_.clear();
  candidates_.clear();
  events_.clear();
  runs_ = 0;
}

uint32_t SerialTree::add_node() {
  nodes_.push_back({});
  return static_cast<uint32_t>(nodes_.size() - 1);
}

// ---- runs ---------------------------------------------------------------------------------------

// The node at `decision` (behind the last: the end), to which these events lead.
bool SerialTree::fill(uint32_t at, const EngineVector<Event>& events, uint32_t from, uint32_t to,
                      const SerialRun& run, uint32_t decision) {
  const bool is_end = decision == run.decisions.size();
  const uint32_t count = is_end ? 0 : run.decisions[decision].count;
  const bool is_new =
      nodes_[at].event_count == 0 && nodes_[at].candidate_count == 0 && !nodes_[at].is_end;
  if (is_new) {
    Node& node = nodes_[at];
    node.first_event = static_cast<uint32_t>(events_.size());
    node.event_count = to - from;
    for (uint32_t i = from; i < to; ++i) events_.push_back(events[i]);
    node.first_candidate = static_cast<uint32_t>(candidates_.size());
    node.candidate_count = count;
    node.is_end = is_end;
    for (uint32_t i = 0; i < count; ++i) {
      SerialCandidate candidate = run.candidates[run.decisions[decision].first + i];
      candidate.child = 0;
      candidates_.push_back(candidate);
    }
    return true;
  }
  const Node& node = nodes_[at];
  if (node.event_count != to - from || node.candidate_count != count || node.is_end != is_end) {
    return false;
  }
  for (uint32_t i = from; i < to; ++i) {
    const Event &was = events_[node.first_event + i - from], &is = events[i];
    if (was.operation != is.operation || was.is_return != is.is_return || was.result != is.result) {
      return false;
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    const SerialCandidate& was = candidates_[node.first_candidate + i];
    const SerialCandidate& is = run.candidates[run.decisions[decision].first + i];
    if (was.path != is.path || was.operation != is.operation) return false;
  }
  return true;
}

bool SerialTree::add(const SerialRun& run, const History& history, bool came_to_its_end) {
  ++runs_;
  new_events_.clear();
  new_events_.resize(history.position);
  for (uint32_t i = 0; i < history.count; ++i) {
    const HistoryOperation& one = history.operations[i];
    if (one.call_at != 0) new_events_[one.call_at - 1] = {i, false, 0};
    if (one.return_at != 0) new_events_[one.return_at - 1] = {i, true, one.result};
  }
  if (nodes_.empty()) add_node();
  uint32_t at = 0, from = 0;
  for (uint32_t decision = 0; decision <= run.decisions.size(); ++decision) {
    const bool is_end = decision == run.decisions.size();
    const uint32_t to = is_end ? history.position : run.decisions[decision].position;
    if (!fill(at, new_events_, from, to, run, decision)) return false;
    if (is_end) break;
    const uint32_t taken = nodes_[at].first_candidate + run.decisions[decision].taken;
    if (candidates_[taken].child == 0) candidates_[taken].child = add_node();
    at = candidates_[taken].child;
    from = to;
  }
  nodes_[at].is_usable = came_to_its_end;
  return true;
}

// ---- questions ----------------------------------------------------------------------------------

// What happened on the way to the node, by the history's rules.
SerialTree::Fit SerialTree::walk_events(const Node& node, const History& history,
                                        uint64_t& returned) {
  for (uint32_t i = 0; i < node.event_count; ++i) {
    const Event& event = events_[node.first_event + i];
    const HistoryOperation& one = history.operations[event.operation];
    if (!event.is_return) {
      if (!may_come_next(history, event.operation, returned, order_.size())) return Fit::differs;
      order_.push_back(event.operation);
      continue;
    }
    if (one.return_at == 0 || one.result != event.result) return Fit::differs;
    returned |= uint64_t{1} << event.operation;
  }
  return Fit::fits;
}

// True: a path fits, or a run is needed to know.
bool SerialTree::search(uint32_t at, const History& history, uint64_t returned) {
  const Node node = nodes_[at];
  const size_t called = order_.size();
  const bool found = walk_events(node, history, returned) == Fit::fits &&
                     (node.is_end ? node.is_usable && returned == history.returned() &&
                                        is_near_an_order(history, order_)
                                  : search_below(node, history, returned));
  order_.resize(called);
  return found;
}

bool SerialTree::search_below(const Node& node, const History& history, uint64_t returned) {
  uint64_t tried = 0;
  for (uint32_t n = 0; n < node.candidate_count; ++n) {
    // The next by rank.
    uint32_t best = UINT32_MAX;
    uint64_t best_rank = UINT64_MAX;
    for (uint32_t i = 0; i < node.candidate_count; ++i) {
      const SerialCandidate& candidate = candidates_[node.first_candidate + i];
      if ((tried >> i & 1) != 0 || !may_begin(history, candidate, returned, order_.size())) {
        continue;
      }
      if (rank(history, candidate) >= best_rank) continue;
      best = i;
      best_rank = rank(history, candidate);
    }
    if (best == UINT32_MAX) return false;
    tried |= uint64_t{1} << best;
    path_.push_back(best);
    const uint32_t child = candidates_[node.first_candidate + best].child;
    if (child == 0) {
      needs_run_ = true;
      return true;
    }
    if (search(child, history, returned)) return true;
    path_.pop_back();
  }
  return false;
}

SerialTree::Answer SerialTree::judge(const History& history) {
  path_.clear();
  order_.clear();
  needs_run_ = nodes_.empty();
  const bool found = needs_run_ || search(0, history, 0);
  plan_.clear();
  for (const uint32_t taken : path_) plan_.push_back(taken);
  if (!found) return {Answer::wrong};
  return {needs_run_ ? Answer::run : Answer::right};
}

// Every order that keeps to `before`, whatever its results.
void SerialTree::search_nearest(uint32_t at, const History& history, uint64_t returned,
                                uint64_t differing) {
  const Node node = nodes_[at];
  for (uint32_t i = 0; i < node.event_count; ++i) {
    const Event& event = events_[node.first_event + i];
    const HistoryOperation& one = history.operations[event.operation];
    const uint64_t bit = uint64_t{1} << event.operation;
    if (!event.is_return) {
      if (history.slack == 0 && (one.before & ~returned) != 0) return;
      continue;
    }
    if (one.return_at == 0 || one.result != event.result) differing |= bit;
    returned |= bit;
  }
  if (node.is_end) {
    if (!node.is_usable) return;
    differing |= history.returned() & ~returned;
    if (has_best_ && std::popcount(differing) >= std::popcount(differing_)) return;
    has_best_ = true;
    differing_ = differing;
    best_.clear();
    for (const uint32_t taken : path_) best_.push_back(taken);
    return;
  }
  for (uint32_t i = 0; i < node.candidate_count && !needs_run_; ++i) {
    const SerialCandidate& candidate = candidates_[node.first_candidate + i];
    if (history.slack == 0 && !may_begin(history, candidate, returned, 0)) continue;
    path_.push_back(i);
    if (candidate.child == 0) {
      needs_run_ = true;
      return;
    }
    search_nearest(candidate.child, history, returned, differing);
    if (needs_run_) return;
    path_.pop_back();
  }
}

SerialTree::Answer SerialTree::nearest(const History& history, uint32_t most_runs) {
  path_.clear();
  needs_run_ = nodes_.empty();
  has_best_ = false;
  differing_ = 0;
  if (!needs_run_) search_nearest(0, history, 0, 0);
  const bool asks = needs_run_ && runs_ < most_runs;
  plan_.clear();
  for (const uint32_t taken : asks ? path_ : best_) plan_.push_back(taken);
  if (asks) return {Answer::run};
  return {has_best_ ? Answer::right : Answer::wrong};
}

}  // namespace jostle
