// Random walk: at every step each thread that can run is equally likely.
//
// The oldest sampler and the baseline of all papers. At the granularity of memory accesses it is
// weak: the probability of letting one thread run k steps in a row falls as 2^-k.
#include "src/strategy/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class RandomWalk final : public Sampler {
 public:
  ThreadId pick(const View& view) override {
    return view.candidates->nth(static_cast<uint32_t>(rng_.below(view.candidates->count())));
  }
};

}  // namespace

Strategy* make_random() { return make_in_engine_memory<RandomWalk>(); }

}  // namespace jostle
