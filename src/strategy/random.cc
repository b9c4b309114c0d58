// Random walk: at every step each thread that can run is equally likely.
//
// The oldest sampler and the baseline of all papers. At the granularity of memory accesses it is
// weak: the probability of letting one thread run k steps in a row falls as 2^-k. With `sticky=b`
// the current thread goes on with a probability of 1 - 2^-b before that draw.
#include "src/strategy/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class RandomWalk final : public Sampler {
 public:
  explicit RandomWalk(const StrategyValues& values) : leave_one_in_(uint64_t{1} << values.of[0]) {}

  ThreadId pick(const View& view) override {
    if (leave_one_in_ > 1 && view.candidates->contains(view.current) &&
        rng_.below(leave_one_in_) != 0) {
      return view.current;
    }
    return view.candidates->nth(static_cast<uint32_t>(rng_.below(view.candidates->count())));
  }

 private:
  uint64_t leave_one_in_;
};

}  // namespace

Strategy* make_random(const StrategyValues& values) {
  return make_in_engine_memory<RandomWalk>(values);
}

}  // namespace jostle
