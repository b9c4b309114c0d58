// Partial order sampling (Yuan, Yang, Gu: "Partial Order Aware Concurrency Sampling", CAV 2018).
//
// Every pending operation has a random score; the highest runs. When an operation has run, the
// thread's next one gets a fresh score, and so does every pending operation that races with it:
// that is what makes each order of a racing pair equally likely, however many unrelated steps
// surround it.
//
// Where we differ: scores are 64-bit integers instead of reals in (0, 1); a thread that was put
// aside for spinning keeps its score.
#include "src/strategy/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class PartialOrderSampling final : public Sampler {
 public:
  void begin(uint64_t seed) override {
    Sampler::begin(seed);
    scores_.clear();
  }

  ThreadId pick(const View& view) override {
    ThreadId best = kNoThread;
    uint64_t best_score = 0;
    view.candidates->for_each([&](ThreadId id) {
      const uint64_t score = score_of(id);
      if (best == kNoThread || score > best_score) {
        best = id;
        best_score = score;
      }
    });
    return best;
  }

  void executed(const View& view, ThreadId id, const Operation& op) override {
    redraw(id);
    view.candidates->for_each([&](ThreadId other) {
      if (other != id && races(op, view.pending(other))) redraw(other);
    });
  }

  void thread_created(ThreadId, ThreadId child) override { redraw(child); }

 private:
  // 0: not drawn yet.
  uint64_t score_of(ThreadId id) {
    if (id >= scores_.size()) scores_.resize(id + 1);
    if (scores_[id] == 0) redraw(id);
    return scores_[id];
  }
  void redraw(ThreadId id) {
    if (id >= scores_.size()) scores_.resize(id + 1);
    scores_[id] = rng_.next() | 1;
  }

  EngineVector<uint64_t> scores_;
};

}  // namespace

Strategy* make_pos(const StrategyValues&, const StrategyInput&) {
  return make_in_engine_memory<PartialOrderSampling>();
}

}  // namespace jostle
