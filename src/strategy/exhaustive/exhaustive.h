// SPDX-License-Identifier: Apache-2.0
// What the strategies that explore all schedules have in common: every decision, also those that
// are not about threads, is one of the scheduling graph. A bounded search offers the graph only
// those alternatives that the bound allows.
#pragma once

#include "src/base/hash.h"
#include "src/strategy/exhaustive/scheduling_graph.h"
#include "src/strategy/order.h"
#include "src/strategy/strategy.h"

namespace jostle {

// A bounded search that goes on until there is nothing beyond its bound.
inline constexpr uint64_t kNoBound = 1'000'000;

class ExhaustiveSearch : public SelfDeciding, public Explorer {
 public:
  explicit ExhaustiveSearch(SchedulingGraph::Search search) : graph_(search) {
    manner_.chooses_stores = true;
  }

  Parts parts() override { return {.explorer = this}; }

  void begin(const RunStart& start) override {
    graph_.begin_run(start.seed);
    created_ = 1;
    indices_.clear();
    indices_.push_back(0);
    at_start();
  }

  void thread_created(ThreadId, ThreadId child) override {
    if (child >= indices_.size()) indices_.resize(child + 1);
    indices_[child] = created_++;
  }

  ThreadId pick(const View& view) override {
    in_order(view, order_);
    const auto all = static_cast<uint32_t>(order_.size());
    const uint32_t offered = offer(view, order_, all);
    if (offered < all) graph_.note_cut();
    uint32_t taken = 0;
    if (offered > 1) {
      taken = graph_.decide(offered, shape_of(view));
      const Operation& op = view.pending(order_[taken]);
      graph_.label(indices_[order_[taken]], op.kind, op.pc);
    }
    took(view, order_, taken);
    return order_[taken];
  }

  uint32_t choose(const Question& question) override {
    const uint32_t alternatives = question.alternatives;
    const uint32_t offered = offer_choice(alternatives);
    if (offered < alternatives) graph_.note_cut();
    const uint32_t taken =
        offered > 1
            ? graph_.decide(offered, combine(alternatives, static_cast<uint64_t>(question.kind)))
            : 0;
    took_choice(taken);
    return taken;
  }

  void after_run(const channel::RunRecord& run) override {
    if (run.newly_shared) return after_other_run(run);
    graph_.end_run(run.end.outcome);
    if (graph_.unexplored() != 0) return;
    if (graph_.is_exact()) {
      all_explored();
    } else {
      graph_.clear();
    }
  }

  // Memory that is only now known to be shared: there are more scheduling points than runs so far
  // had, and the graph begins anew with them.
  void after_other_run(const channel::RunRecord& run) override {
    if (run.newly_shared) start_over();
  }
  void start_over() { graph_.clear(); }

  bool inputs_vary() override { return false; }

  channel::Exploration exploration() const override {
    channel::Exploration state = done_;
    if (state.finished) return state;
    state.explored = graph_.explored();
    state.unexplored = graph_.unexplored();
    return state;
  }

  void keep_graph() override { graph_.keep_finished(); }
  uint32_t draw_graph(channel::GraphNode* to, uint32_t room) const override {
    return graph_.draw(to, room);
  }

 protected:
  // How many of the threads, from the first in order, may be chosen.
  virtual uint32_t offer(const View&, const EngineVector<ThreadId>&, uint32_t all) { return all; }
  virtual uint32_t offer_choice(uint32_t all) { return all; }
  virtual void took(const View&, const EngineVector<ThreadId>&, uint32_t /*which*/) {}
  virtual void took_choice(uint32_t /*which*/) {}
  virtual void at_start() {}
  // The graph has nothing left.
  virtual void all_explored() { finish(-1, true); }

  void finish(int64_t bound, bool everything) {
    done_ = {.explored = graph_.explored(),
             .unexplored = 0,
             .bound = bound,
             .finished = 1,
             .everything = everything};
  }

  SchedulingGraph graph_;
  channel::Exploration done_ = kNothingExplored;

 private:
  // Equal when the run so far was the same: who could run, how far each is and what it does next.
  uint64_t shape_of(const View& view) const {
    uint64_t shape = order_.size();
    for (const ThreadId id : order_) {
      shape = combine(shape, view.events(id) << 8 ^ static_cast<uint64_t>(view.pending(id).kind));
      shape = combine(shape, indices_[id]);
    }
    return shape ^ shape >> 32;
  }

  EngineVector<ThreadId> order_;
  EngineVector<uint32_t> indices_;  // the n-th thread created, by its number
  uint32_t created_ = 1;
};

// All schedules within a bound, for one bound after the other.
class BoundedSearch : public ExhaustiveSearch {
 public:
  explicit BoundedSearch(uint64_t largest)
      : ExhaustiveSearch(SchedulingGraph::Search::first), largest_(largest) {}

 protected:
  void at_start() override { spent_ = 0; }
  uint64_t left() const { return bound_ - spent_; }

  // To take what is not usual costs one, also where it is not about threads.
  uint32_t offer_choice(uint32_t all) override {
    return left() + 1 < all ? static_cast<uint32_t>(left() + 1) : all;
  }
  void took_choice(uint32_t which) override { spent_ += which; }

  void all_explored() override {
    const bool everything = !graph_.was_cut();
    if (everything || bound_ == largest_) {
      return finish(static_cast<int64_t>(bound_), everything);
    }
    done_.bound = static_cast<int64_t>(bound_);
    ++bound_;
    graph_.clear();
  }

  uint64_t spent_ = 0;  // in this run

 private:
  uint64_t largest_;
  uint64_t bound_ = 0;
};

}  // namespace jostle
