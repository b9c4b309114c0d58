// SPDX-License-Identifier: Apache-2.0
// A model of a program for tests of strategies, without a target process: threads are lists of
// operations, and a lock waits while another thread holds it.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/strategy/strategy.h"

namespace jostle {

inline Operation writes(uintptr_t address) { return {OpKind::write, 4, address, 0}; }
inline Operation reads(uintptr_t address) { return {OpKind::read, 4, address, 0}; }
inline Operation locks(uintptr_t mutex) { return {OpKind::mutex_lock, 0, mutex, 0}; }
inline Operation unlocks(uintptr_t mutex) { return {OpKind::mutex_unlock, 0, mutex, 0}; }

// A record is too large for the heap, but only what is written costs memory.
inline channel::RunRecord& record() {
  static void* memory = mmap(nullptr, sizeof(channel::RunRecord), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return *static_cast<channel::RunRecord*>(memory);
}

class Model {
 public:
  explicit Model(std::vector<std::vector<Operation>> threads) : threads_(std::move(threads)) {
    for (std::vector<Operation>& thread : threads_) {
      for (Operation& op : thread) {
        op.name = op.object;
        op.site = op.pc;
      }
    }
  }

  // The order in which threads took their steps, e.g. "0110"; a deadlock ends in "!".
  std::string run(Strategy& strategy, uint64_t seed) {
    const RunRoles roles = begin_run_of(strategy, {seed});
    Decider& decider = *roles.decider;
    if (roles.observer) roles.observer->run_begins();
    for (ThreadId id = 1; id < threads_.size(); ++id) decider.thread_created(0, id);
    position_.assign(threads_.size(), 0);
    holders_.clear();
    last_writes_.clear();
    pairs_.clear();
    reads_from_ = 0;
    std::string order;
    ThreadId current = 0;
    uint64_t decisions = 0;
    for (EnabledSet* enabled = now_enabled(); enabled->count(); enabled = now_enabled()) {
      operations_.clear();
      for (ThreadId id = 0; id < threads_.size(); ++id)
        operations_.push_back(&pending_of(this, id));
      const View view{enabled,   current,       this,          operations_.data(),
                      events_of, reads_from_of, last_write_of, path_of};
      decisions += enabled->count() > 1;
      current = enabled->count() == 1 ? enabled->nth(0) : decider.pick(view);
      if (current == kNoThread) return order + "-";
      EXPECT_TRUE(enabled->contains(current));
      decider.executed(view, current, pending_of(this, current));
      order += static_cast<char>('0' + current);
      if (roles.observer) show(*roles.observer, current);
      note_reads_from(current);
      execute(current);
    }
    for (ThreadId id = 0; id < threads_.size(); ++id) {
      if (position_[id] < threads_[id].size()) return order + "!";
    }
    decisions_ = decisions;
    return order;
  }

  // The same, and the strategy learns from it as in a campaign.
  std::string run_and_learn(Strategy& strategy, uint64_t seed) {
    std::string order = run(strategy, seed);
    channel::RunRecord& run = record();
    run.decisions = decisions_;
    run.end.outcome = order.ends_with('!') ? channel::Outcome::deadlock : channel::Outcome::exited;
    run.schedule.thread_count = static_cast<uint32_t>(threads_.size());
    for (size_t i = 0; i < threads_.size(); ++i) run.schedule.threads[i].steps = threads_[i].size();
    run.reads_from = reads_from_;
    run.new_reads_from = 0;
    Observer* observer = strategy.parts().observer;
    for (const auto& [write, read] : pairs_) {
      if (!known_.emplace(write, read).second) continue;
      ++run.new_reads_from;
      if (observer) observer->paired(write, read);
    }
    note_segments(order, run.schedule);
    strategy.after_run(run);
    return order;
  }

  // The pairs of a write and a read that observed it in the last run.
  const std::set<std::pair<uint64_t, uint64_t>>& pairs() const { return pairs_; }

  // Every order there is, by trying all of them: what an exhaustive strategy has to find.
  std::set<std::string> all_orders() {
    position_.assign(threads_.size(), 0);
    holders_.clear();
    std::set<std::string> found;
    explore("", found);
    return found;
  }

 private:
  void show(Observer& observer, ThreadId id) const {
    const Operation& op = threads_[id][position_[id]];
    const Event event{op.name, op.site, path_of(nullptr, id), op.object, op.pc, op.kind, true};
    if (observes(op.kind)) observer.observed(event, false);
    if (may_change(op.kind)) observer.observed(event, true);
  }

  void note_reads_from(ThreadId id) {
    const Operation& op = threads_[id][position_[id]];
    const auto last = last_writes_.find(op.name);
    if (observes(op.kind) && (last == last_writes_.end() || last->second.second != id)) {
      const uint64_t write =
          last == last_writes_.end() ? initial_write(op.name) : last->second.first;
      const uint64_t read = read_event(op.name, op.site);
      if (pairs_.emplace(write, read).second) reads_from_ += combine(write, read);
    }
    if (may_change(op.kind)) last_writes_[op.name] = {write_event(op.name, op.site), id};
  }

  static uint64_t last_write_of(void* self, ThreadId id) {
    auto* model = static_cast<Model*>(self);
    const uint64_t name = pending_of(self, id).name;
    const auto last = model->last_writes_.find(name);
    return last == model->last_writes_.end() ? initial_write(name) : last->second.first;
  }

  static uint64_t reads_from_of(void* self) { return static_cast<Model*>(self)->reads_from_; }
  static uint64_t path_of(void*, ThreadId id) { return uint64_t{id} + 1; }

  static void note_segments(const std::string& order, channel::Schedule& schedule) {
    schedule.segment_count = schedule.choice_count = 0;
    std::map<char, uint64_t> steps;
    for (size_t i = 0; i < order.size(); ++i) {
      ++steps[order[i]];
      if (i + 1 < order.size() && order[i + 1] == order[i]) continue;
      schedule.segments[schedule.segment_count++] = {
          static_cast<uint32_t>(order[i] - '0'), OpKind::write, 0, 0, steps[order[i]], 0};
    }
  }

  bool can_run(ThreadId id) const {
    if (position_[id] == threads_[id].size()) return false;
    const Operation& op = threads_[id][position_[id]];
    return op.kind != OpKind::mutex_lock || !holders_.contains(op.object);
  }

  EnabledSet* now_enabled() {
    enabled_.clear();
    for (ThreadId id = 0; id < threads_.size(); ++id) {
      if (can_run(id)) enabled_.insert(id);
    }
    return &enabled_;
  }

  void execute(ThreadId id) {
    const Operation& op = threads_[id][position_[id]++];
    if (op.kind == OpKind::mutex_lock) holders_[op.object] = id;
    if (op.kind == OpKind::mutex_unlock) holders_.erase(op.object);
  }

  void explore(const std::string& order, std::set<std::string>& found) {
    bool ended = true, waiting = false;
    for (ThreadId id = 0; id < threads_.size(); ++id) {
      waiting |= position_[id] < threads_[id].size();
      if (!can_run(id)) continue;
      ended = false;
      const auto position = position_;
      const auto holders = holders_;
      execute(id);
      explore(order + static_cast<char>('0' + id), found);
      position_ = position;
      holders_ = holders;
    }
    if (ended) found.insert(waiting ? order + "!" : order);
  }

  static const Operation& pending_of(void* self, ThreadId id) {
    static constexpr Operation kNothing{};
    auto* model = static_cast<Model*>(self);
    const auto& operations = model->threads_[id];
    const size_t at = model->position_[id];
    return at < operations.size() ? operations[at] : kNothing;
  }
  static uint64_t events_of(void* self, ThreadId id) {
    return static_cast<Model*>(self)->position_[id];
  }

  std::vector<std::vector<Operation>> threads_;
  std::vector<size_t> position_;
  std::vector<const Operation*> operations_;
  std::map<uintptr_t, ThreadId> holders_;
  EnabledSet enabled_;
  std::map<uint64_t, std::pair<uint64_t, ThreadId>> last_writes_;  // by location
  std::set<std::pair<uint64_t, uint64_t>> pairs_, known_;          // of this run, of all runs
  uint64_t reads_from_ = 0;
  uint64_t decisions_ = 0;
};

}  // namespace jostle
