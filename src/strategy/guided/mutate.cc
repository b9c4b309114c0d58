// SPDX-License-Identifier: Apache-2.0
// Greybox search over choice logs: the log of a run that showed something new is kept, and new runs
// follow one that has been changed in a few places. A preemption moves, goes or comes, two logs are
// spliced, another choice is redrawn. "New" is a pair of a write and a read that observed it which
// no run had before, or code that no run had reached.
//
// The first log is that of --from, or of a run without preemption.
#include "src/base/rng.h"
#include "src/strategy/guided/guide.h"
#include "src/strategy/strategies.h"

namespace jostle {
namespace {

constexpr size_t kMostLogs = 512;
constexpr size_t kMostSegments = 1 << 14;  // longer runs are not kept

class Mutate final : public GuidedStrategy {
 public:
  explicit Mutate(const StrategyInput& input) {
    if (!input.schedule) return;
    keep().copy(*input.schedule);
    logs_used_ = 1;
    threads_ = input.schedule->thread_count;
  }

  void begin(const RunStart& start) override {
    GuidedStrategy::begin(start);
    rng_.reseed(start.seed);
    log_.clear();
    if (logs_used_ == 0) return;
    // The newest logs lead to more that is new than the others.
    const uint64_t recent = logs_used_ < 8 ? logs_used_ : 8;
    const uint64_t which =
        rng_.below(2) ? logs_used_ - 1 - rng_.below(recent) : rng_.below(logs_used_);
    log_.copy(*logs_[which]);
    for (uint64_t changes = uint64_t{1} << rng_.below(4); changes > 0; --changes) change();
  }

  void after_run(const channel::RunRecord& run) override {
    threads_ = run.schedule.thread_count;
    const bool first = logs_used_ == 0;
    if (!first && !run.new_reads_from && !run.new_features) return;
    if (run.schedule.segment_count > kMostSegments || run.log_overflow) return;
    keep().copy(run.schedule);
    if (logs_used_ < kMostLogs) ++logs_used_;
  }

 private:
  // Room for one more log, that of an old one when there are too many.
  GuideLog& keep() {
    if (logs_used_ == kMostLogs) {
      GuideLog* old = logs_[0];
      for (size_t i = 1; i < kMostLogs; ++i) logs_[i - 1] = logs_[i];
      logs_[kMostLogs - 1] = old;
      return *old;
    }
    if (logs_.size() <= logs_used_) {
      logs_.push_back(new (engine_allocate(sizeof(GuideLog))) GuideLog);
    }
    return *logs_[logs_used_];
  }

  void change() {
    const uint64_t kind = rng_.below(8);
    if (kind == 0) {
      splice(*logs_[rng_.below(logs_used_)]);
    } else if (kind == 1 && !log_.choices.empty()) {
      log_.choices[rng_.below(log_.choices.size())].picked =
          static_cast<uint32_t>(rng_.next() >> 40);
    } else if (log_.segments.empty() || kind <= 4) {
      insert_preemption();
    } else if (kind == 5) {
      erase(rng_.below(log_.segments.size()));
    } else {
      move(rng_.below(log_.segments.size()));
    }
  }

  // Where the thread of this segment was when the segment began.
  uint64_t start_of(size_t segment) const {
    for (size_t i = segment; i-- > 0;) {
      if (log_.segments[i].thread == log_.segments[segment].thread) return log_.segments[i].until;
    }
    return 0;
  }

  uint64_t somewhere_in(size_t segment) {
    const uint64_t from = start_of(segment), to = log_.segments[segment].until;
    // Behind a segment that lasts until its thread waits nothing is known to lie in between.
    if (to <= from || to - from == 1) return to;
    return from + 1 + rng_.below(to - from);
  }

  void move(size_t segment) { log_.segments[segment].until = somewhere_in(segment); }

  // The thread stops earlier, and another runs for a while before it goes on.
  void insert_preemption() {
    const auto other = static_cast<uint32_t>(rng_.below(threads_));
    if (log_.segments.empty()) {
      log_.segments.push_back({other, 1 + rng_.below(64)});
      return;
    }
    const size_t at = rng_.below(log_.segments.size());
    const GuideLog::Segment whole = log_.segments[at];
    const uint64_t stop = somewhere_in(at);
    // As long as one of its own later segments, or to its next wait.
    uint64_t until = channel::kUntilItWaits;
    for (size_t i = at; i < log_.segments.size(); ++i) {
      if (log_.segments[i].thread != other || rng_.below(2)) continue;
      until = somewhere_in(i);
      break;
    }
    log_.segments.resize(log_.segments.size() + 2);
    for (size_t i = log_.segments.size(); i-- > at + 3;) log_.segments[i] = log_.segments[i - 2];
    log_.segments[at] = {whole.thread, stop};
    log_.segments[at + 1] = {other, until};
    log_.segments[at + 2] = whole;
  }

  void erase(size_t segment) {
    for (size_t i = segment; i + 1 < log_.segments.size(); ++i) {
      log_.segments[i] = log_.segments[i + 1];
    }
    log_.segments.pop_back();
  }

  // The beginning of this log and the end of another.
  void splice(const GuideLog& other) {
    if (log_.segments.empty() || other.segments.empty()) return;
    const size_t mine = rng_.below(log_.segments.size());
    const size_t theirs = rng_.below(other.segments.size());
    log_.segments.resize(mine);
    for (size_t i = theirs; i < other.segments.size(); ++i) {
      log_.segments.push_back(other.segments[i]);
    }
  }

  Rng rng_;
  EngineVector<GuideLog*> logs_;
  size_t logs_used_ = 0;
  uint32_t threads_ = 1;
};

}  // namespace

JOSTLE_STRATEGY(kMutate) = {
    "mutate", "changes logs of runs that showed something new; may begin with --from FILE",
    {},       made<Mutate>,
    false,    StrategyTakes::schedule};

}  // namespace jostle
