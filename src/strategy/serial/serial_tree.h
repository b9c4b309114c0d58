// SPDX-License-Identifier: Apache-2.0
// The right results of one scenario: its runs in which threads change only between operations, or
// when one has to wait, as a tree of decisions. It grows by the runs that a question needs.
//
// A history is right if a path of the tree has its results, in an order that keeps to its `before`
// (linearizability, with the object itself as its own specification). The search for such a path
// leaves a branch as soon as a result differs or an operation comes too early; where it comes to a
// decision that no run has taken it asks for that run. Pure: somebody else runs.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/schedule/history/operation_history.h"
#include "src/schedule/history/reference_exchange.h"

namespace jostle {

// Who could go on when nobody was in the middle of something.
struct SerialCandidate {
  static constexpr uint32_t kGoesOn = UINT32_MAX;
  uint64_t path;       // of the thread
  uint32_t operation;  // that it would begin; kGoesOn: it is in one, or in none of the scenario
  uint32_t child;      // 0: no run has taken it
};

struct SerialDecision {
  uint32_t first, count;  // of the candidates
  uint32_t taken;
  uint32_t position;  // of the history by then
};

// What a run decided, in its order.
struct SerialRun {
  EngineVector<SerialCandidate> candidates;
  EngineVector<SerialDecision> decisions;
  void clear() {
    candidates.clear();
    decisions.clear();
  }
};

// Of the candidates, that which the history suggests: whose operation returned first in it.
// `returned`: bits of the operations that have.
uint32_t suggested(const History& history, const SerialCandidate* candidates, uint32_t count,
                   uint64_t returned);

// Whether an operation may be the next, when so many have been called and these have returned.
bool may_come_next(const History& history, uint32_t operation, uint64_t returned, size_t called);

// Whether an order that keeps to the history's `before` has every operation within its slack of
// where this one has it.
bool is_near_an_order(const History& history, const EngineVector<uint32_t>& order);

class SerialTree {
 public:
  // Questions go to the tree as often as it answers with a run that it needs.
  struct Answer {
    enum Kind { right, wrong, run } kind;
  };
  Answer judge(const History& history);
  // For `wrong` ones: the run that has the most of its results; `run` as above, otherwise `right`.
  Answer nearest(const History& history, uint32_t most_runs);
  // What the run that is needed has to decide, as far as this goes: numbers of candidates.
  const EngineVector<uint32_t>& plan() const { return plan_; }
  // Bits of the operations that the run found by `nearest` has other results for.
  uint64_t differing() const { return differing_; }

  // The run that was asked for. False: it did not do what earlier ones did.
  bool add(const SerialRun& run, const History& history, bool came_to_its_end);

  uint32_t runs() const { return runs_; }
  size_t size() const { return nodes_.size(); }
  void clear();

 private:
  struct Event {
    uint32_t operation;
    bool is_return;
    uint64_t result;
  };
  struct Node {
    uint32_t first_event, event_count;  // since the decision before
    uint32_t first_candidate, candidate_count;
    bool is_end;     // no decision follows
    bool is_usable;  // … and the run ended well
  };
  enum class Fit { fits, differs };

  uint32_t add_node();
  bool fill(uint32_t node, const EngineVector<Event>& events, uint32_t from, uint32_t to,
            const SerialRun& run, uint32_t decision);
  Fit walk_events(const Node& node, const History& history, uint64_t& returned);
  bool search(uint32_t node, const History& history, uint64_t returned);
  bool search_below(const Node& node, const History& history, uint64_t returned);
  void search_nearest(uint32_t node, const History& history, uint64_t returned, uint64_t differing);

  EngineVector<Node> nodes_;
  EngineVector<SerialCandidate> candidates_;
  EngineVector<Event> events_;
  EngineVector<uint32_t> plan_, path_, best_;
  EngineVector<Event> new_events_;
  EngineVector<uint32_t> order_;  // operations on the path, as they were called
  uint32_t runs_ = 0;
  uint64_t differing_ = 0;
  bool needs_run_ = false, has_best_ = false;
};

}  // namespace jostle
