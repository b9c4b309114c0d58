// SPDX-License-Identifier: Apache-2.0
// The race detector against a model that keeps everything: every access with all that its thread
// knew, and what was published at every address. Random runs of more threads than a lane of clocks
// has entries; both must know the same of every thread, and see the first race at the same access.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "src/base/rng.h"
#include "src/runtime/race/atomic_access.h"

namespace jostle::race {
namespace {

constexpr uint32_t kThreads = 6;
using Knowledge = std::vector<Clock>;

struct Step {
  enum What { plain, atomic, lock, unlock } what;
  uint32_t thread;
  uintptr_t address;
  uint32_t size;
  bool writes;
  Detector::Atomic operation;
  Order order;
};

class Model {
 public:
  Model() : known_(kThreads, Knowledge(kThreads, 0)) {
    known_[0][0] = 1;
    for (uint32_t child = 1; child < kThreads; ++child) {
      known_[child] = known_[0];
      known_[child][child] = 1;
      ++known_[0][0];
    }
  }

  // True when an earlier access races with it.
  bool races(const Step& step) {
    if (step.what == Step::lock) join(known_[step.thread], published_[step.address]);
    if (step.what == Step::unlock) release(step, true);
    if (step.what == Step::lock || step.what == Step::unlock) return false;
    const bool is_atomic = step.what == Step::atomic;
    const bool found = std::any_of(past_.begin(), past_.end(), [&](const Past& past) {
      const bool meet =
          past.address < step.address + step.size && step.address < past.address + past.size;
      const bool conflict = (past.writes || step.writes) && !(past.is_atomic && is_atomic);
      return meet && conflict && past.thread != step.thread &&
             past.time > known_[step.thread][past.thread];
    });
    past_.push_back({step.address, step.size, step.thread, known_[step.thread][step.thread],
                     step.writes, is_atomic});
    if (is_atomic) order(step);
    return found;
  }

  const Knowledge& known(uint32_t thread) const { return known_[thread]; }

 private:
  struct Past {
    uintptr_t address;
    uint32_t size, thread;
    Clock time;
    bool writes, is_atomic;
  };

  static void join(Knowledge& to, const Knowledge& from) {
    if (from.size() > to.size()) to.resize(from.size());
    for (size_t i = 0; i < from.size(); ++i) to[i] = std::max(to[i], from[i]);
  }
  void release(const Step& step, bool keeps) {
    Knowledge& there = published_[step.address];
    if (!keeps) there.clear();
    join(there, known_[step.thread]);
    ++known_[step.thread][step.thread];
  }
  void order(const Step& step) {
    const bool reads = step.operation != Detector::Atomic::store;
    if (reads && (step.order & kAcquire)) join(known_[step.thread], published_[step.address]);
    if (step.operation == Detector::Atomic::load) return;
    if (step.order & kRelease) return release(step, reads);
    if (!reads) published_[step.address].clear();
  }

  std::vector<Knowledge> known_;
  std::map<uintptr_t, Knowledge> published_;
  std::vector<Past> past_;
};

Step random_step(Rng& rng) {
  const auto thread = static_cast<uint32_t>(rng.below(kThreads));
  constexpr uintptr_t kAtomics = 0x1000, kData = 0x2000, kLocks = 0x3000;
  if (rng.below(8) == 0) {
    return {rng.below(2) ? Step::lock : Step::unlock, thread, kLocks, 0, false, {}, {}};
  }
  if (rng.below(16) == 0) {
    const uint32_t size = 1u << rng.below(3);
    const uintptr_t base = rng.below(4) ? kData : kAtomics;
    return {Step::plain, thread, base + 4 * rng.below(3), size, rng.below(4) == 0, {}, {}};
  }
  const auto operation = static_cast<Detector::Atomic>(rng.below(3));
  return {Step::atomic,
          thread,
          kAtomics + 4 * rng.below(3),
          4,
          operation != Detector::Atomic::load,
          operation,
          static_cast<Order>(rng.below(4))};
}

void execute(Detector& detector, const Step& step, uintptr_t pc) {
  switch (step.what) {
    case Step::plain:
      return detector.access(step.thread, step.address, step.size, step.writes ? kWrite : kRead, pc,
                             0);
    case Step::atomic:
      return detector.atomic(step.operation, step.thread, step.address, step.size, step.order, pc,
                             0);
    case Step::lock:
      return detector.acquire(step.thread, step.address);
    case Step::unlock:
      return detector.release(step.thread, step.address);
  }
}

TEST(RaceModel, RandomRunsAreSeenAlike) {
  static auto& detector = *new Detector;  // its tables are large
  Rng rng(1);
  int with_races = 0, without = 0;
  for (int run = 0; run < 2000; ++run) {
    bool found = false;
    detector.begin_run(
        0, [](void* found, const Access&, const Access&) { *static_cast<bool*>(found) = true; },
        &found);
    for (uint32_t child = 1; child < kThreads; ++child) detector.create(0, child);
    Model model;
    for (uintptr_t n = 1; n <= 60 && !found; ++n) {
      const Step step = random_step(rng);
      execute(detector, step, n);
      ASSERT_EQ(model.races(step), found) << "run " << run << ", step " << n;
      for (uint32_t thread = 0; thread < kThreads; ++thread) {
        const Clock* known = detector.clock_of(thread);
        ASSERT_EQ(Knowledge(known, known + kThreads), model.known(thread))
            << "run " << run << ", step " << n << ", thread " << thread;
      }
    }
    ++(found ? with_races : without);
  }
  EXPECT_GT(with_races, 100);
  EXPECT_GT(without, 100);
}

}  // namespace
}  // namespace jostle::race
