// The interface of a search strategy: given who could run and what each is about to do, pick one.
//
// A strategy is a pure algorithm: no system calls, no globals, no memory from the target's heap. It
// sees threads as small numbers (ThreadId) that index arrays, and operations as opaque values with
// a few questions (`races`, `only_reads`). One file per strategy; a line in the table of
// strategy.cc makes it known by name.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "src/base/engine_memory.h"
#include "src/schedule/channel.h"
#include "src/schedule/operation.h"
#include "src/strategy/parameters.h"

namespace jostle {

// Which threads could run: a bit set over ThreadId, so that the order is always the same and the
// k-th is found in a few instructions.
class EnabledSet {
 public:
  uint32_t count() const { return count_; }
  bool contains(ThreadId id) const {
    return id / 64 < words_.size() && (words_[id / 64] >> (id % 64) & 1);
  }
  void insert(ThreadId id) {
    if (id / 64 >= words_.size()) words_.resize(id / 64 + 1);
    count_ += !contains(id);
    words_[id / 64] |= uint64_t{1} << (id % 64);
  }
  void erase(ThreadId id) {
    if (!contains(id)) return;
    --count_;
    words_[id / 64] &= ~(uint64_t{1} << (id % 64));
  }
  void clear() {
    words_.clear();
    count_ = 0;
  }
  // The k-th smallest member, k < count().
  ThreadId nth(uint32_t k) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      const auto here = static_cast<uint32_t>(std::popcount(words_[w]));
      if (k >= here) {
        k -= here;
        continue;
      }
      uint64_t word = words_[w];
      for (; k > 0; --k) word &= word - 1;
      return static_cast<ThreadId>(w * 64 + static_cast<size_t>(std::countr_zero(word)));
    }
    return kNoThread;
  }
  // for (ThreadId t : all members) f(t), in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t word = words_[w]; word; word &= word - 1) {
        f(static_cast<ThreadId>(w * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  EngineVector<uint64_t> words_;
  uint32_t count_ = 0;
};

// The member that follows `id` in the order of numbers, the first one again behind the last.
inline ThreadId next_after(ThreadId id, const EnabledSet& set) {
  ThreadId next = kNoThread;
  set.for_each([&](ThreadId other) {
    if (next == kNoThread && other > id) next = other;
  });
  return next != kNoThread ? next : set.nth(0);
}

// What a strategy may look at when it picks.
struct View {
  const EnabledSet* candidates;  // never empty; threads that only spin are left out if they can be
  ThreadId current;              // who ran last; it may or may not be a candidate
  void* source;
  const Operation& (*pending_of)(void* source, ThreadId);
  uint64_t (*events_of)(void* source, ThreadId);
  uint64_t reads_from = 0;  // hash of which reads observed which writes so far, in any order

  const Operation& pending(ThreadId id) const { return pending_of(source, id); }
  uint64_t events(ThreadId id) const { return events_of(source, id); }
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // A new run begins; all state that is not meant to last over the campaign starts afresh.
  virtual void begin(uint64_t seed) = 0;
  // Which of the candidates runs next. Called when there are at least two. kNoThread: the strategy
  // wants the run to end here.
  virtual ThreadId pick(const View& view) = 0;
  // A choice that is not about threads: a number below `alternatives` (at least 2).
  virtual uint32_t choose(ChoiceKind kind, uint32_t alternatives) = 0;
  // `id` has been picked (or was the only one) and executes `op` now.
  virtual void executed(const View& /*view*/, ThreadId /*id*/, const Operation& /*op*/) {}
  virtual void thread_created(ThreadId /*parent*/, ThreadId /*child*/) {}
  // The run is over: what a strategy wants to know in the next ones it learns here. Nothing else of
  // what it notes during a run lasts, because the run may have had a process of its own.
  virtual void after_run(const channel::RunRecord& /*run*/) {}

  // A guided strategy is asked, whenever a thread goes on, before which of its events it must be
  // asked again even if that is no scheduling point.
  virtual bool is_guided() const { return false; }
  virtual uint64_t stop_for(ThreadId) const { return UINT64_MAX; }

  // Exhaustive strategies: how far they are, and the graph of what they have explored.
  virtual channel::Exploration exploration() const { return {0, 0, -1, 0, 0}; }
  virtual void keep_graph() {}
  virtual uint32_t draw_graph(channel::GraphNode* /*to*/, uint32_t /*room*/) const { return 0; }
};

// What the user gives a strategy to begin with.
struct StrategyInput {
  const uint8_t* bytes = nullptr;
  size_t byte_count = 0;
  const channel::Schedule* schedule = nullptr;
};

// Makes the strategy that `spec` names ("pos", "pct:d=5"). Null when something is wrong with it;
// see parse_strategy. Lives in engine memory and is never destroyed; keeps nothing of `input`.
Strategy* make_strategy(std::string_view spec, const StrategyInput& input = {});

// All strategies, ended by an entry with an empty name.
const StrategyInfo* known_strategies();

}  // namespace jostle
