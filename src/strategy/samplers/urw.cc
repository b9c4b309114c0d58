// SPDX-License-Identifier: Apache-2.0
// URW, uniform random walk (Zhao, Wolff, Mathur, Roychoudhury, ASPLOS 2025, "Selectively Uniform
// Concurrency Testing").
//
// A random walk that is uniform over whole interleavings, not over steps: a thread is chosen in
// proportion to how many operations it and its descendants have left. The weights come from earlier
// runs, by spawn path; the first run is a plain random walk.
//
// Where we differ: a weight is the largest number of operations seen so far instead of one
// profiling run's, because runs of different schedules have different lengths.
#include "src/base/check.h"
#include "src/base/hash.h"
#include "src/base/probe.h"
#include "src/strategy/samplers/sampler.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

class UniformWalk final : public Sampler {
 public:
  void begin(const RunStart& start) override {
    Sampler::begin(start);
    threads_.clear();
    threads_.push_back({kMain, 0, known(kMain)});
  }

  void thread_created(ThreadId parent, ThreadId child) override {
    Walker& from = at(parent);
    const uint64_t path = combine(from.path, ++from.children);
    const uint64_t share = known(path);
    from.left = from.left > share ? from.left - share : 0;
    at(child) = {path, 0, share};
  }

  ThreadId pick(const View& view) override {
    uint64_t sum = 0;
    view.candidates->for_each([&](ThreadId id) { sum += weight(id); });
    JOSTLE_CHECK_LE(view.candidates->count(), sum);  // every weight is at least 1
    uint64_t point = rng_.below(sum);
    ThreadId picked = kNoThread;
    view.candidates->for_each([&](ThreadId id) {
      if (picked != kNoThread) return;
      if (point < weight(id)) picked = id;
      point -= weight(id);
    });
    JOSTLE_CHECK(view.candidates->contains(picked));
    return picked;
  }

  void executed(const View&, ThreadId id, const Operation&) override {
    if (at(id).left) --at(id).left;
  }

  // What every thread did, with its descendants. Children come behind their parents in the record.
  void after_run(const channel::RunRecord& run) override { after_other_run(run); }
  void after_other_run(const channel::RunRecord& run) override {
    const uint32_t count = run.schedule.thread_count;
    if (count > kMostThreads) return;
    paths_.resize(count);
    sums_.resize(count);
    for (uint32_t i = 0; i < count; ++i) {
      const channel::ThreadRecord& thread = run.schedule.threads[i];
      JOSTLE_CHECK(i == 0 || thread.parent < i);  // parents come first
      paths_[i] = i == 0 ? kMain : combine(paths_[thread.parent], thread.ordinal + 1);
      sums_[i] = thread.steps;
    }
    for (uint32_t i = count; i-- > 1;) sums_[run.schedule.threads[i].parent] += sums_[i];
    for (uint32_t i = 0; i < count; ++i) note(paths_[i], sums_[i]);
  }

 private:
  static constexpr uint64_t kMain = 1;
  static constexpr uint32_t kMostThreads = 1 << 14;
  static constexpr size_t kPlaces = 1 << 16;

  struct Walker {
    uint64_t path;
    uint64_t children;
    uint64_t left;  // operations, with those of children not yet created
  };
  struct Known {
    uint64_t path;  // 0: empty
    uint64_t operations;
  };

  uint64_t weight(ThreadId id) { return at(id).left ? at(id).left : 1; }
  Walker& at(ThreadId id) {
    if (id >= threads_.size()) threads_.resize(id + 1);
    return threads_[id];
  }

  Known& place(uint64_t path) {
    // As it comes, all zero: what no path has come to costs no memory.
    if (!table_) table_ = static_cast<Known*>(engine_allocate(kPlaces * sizeof(Known)));
    return table_[probe(path, kPlaces,
                        [&](size_t i) { return table_[i].path == 0 || table_[i].path == path; })];
  }
  uint64_t known(uint64_t path) { return place(path).operations; }
  void note(uint64_t path, uint64_t operations) {
    Known& entry = place(path);
    if (entry.path == 0) {
      if (used_ == kPlaces / 2) return;  // a program with that many threads: enough is known
      ++used_;
      entry.path = path;
    }
    if (operations > entry.operations) entry.operations = operations;
  }

  EngineVector<Walker> threads_;
  Known* table_ = nullptr;
  size_t used_ = 0;
  EngineVector<uint64_t> paths_, sums_;
};

}  // namespace

JOSTLE_STRATEGY(kUrw) = {"urw",
                         "uniform random walk: threads in proportion to what they have left to do",
                         {},
                         made<UniformWalk>};

}  // namespace jostle
