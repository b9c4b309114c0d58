// SPDX-License-Identifier: Apache-2.0
// A log of a run that others follow as far as they can: threads by their order of creation, each
// segment up to an event of its thread, and the other choices in order.
//
// Unlike a replay, which ends where the run leaves its log, this goes on: a segment whose thread
// cannot run is left out, and behind the last one nobody is preempted any more.
#pragma once

#include "src/base/check.h"
#include "src/strategy/order.h"
#include "src/strategy/strategy.h"

namespace jostle {

struct GuideLog {
  struct Segment {
    uint32_t thread;
    uint64_t until;
  };
  EngineVector<Segment> segments;
  EngineVector<uint32_t> choices;

  void clear() {
    segments.clear();
    choices.clear();
  }
  void copy(const GuideLog& other) {
    clear();
    for (const Segment& segment : other.segments) segments.push_back(segment);
    for (const uint32_t choice : other.choices) choices.push_back(choice);
  }
  void copy(const channel::Schedule& run) {
    clear();
    for (uint32_t i = 0; i < run.segment_count; ++i) {
      segments.push_back({run.segments[i].thread, run.segments[i].until});
    }
    for (uint32_t i = 0; i < run.choice_count; ++i) choices.push_back(run.choices[i].picked);
  }
};

class GuidedStrategy : public SelfDeciding {
 public:
  GuidedStrategy() {
    manner_.is_guided = true;
    manner_.holds_up = true;  // as the log has it
  }

  void begin(const RunStart&) override {
    segment_ = choice_ = 0;
    threads_.clear();
    threads_.push_back(0);
    indices_.clear();
    indices_.push_back(0);
  }

  void thread_created(ThreadId, ThreadId child) override {
    if (child >= indices_.size()) indices_.resize(child + 1);
    indices_[child] = static_cast<uint32_t>(threads_.size());
    threads_.push_back(child);
  }

  ThreadId pick(const View& view) override {
    for (; segment_ < log_.segments.size(); ++segment_) {
      if (const ThreadId id = runner(view); id != kNoThread) return id;
    }
    return without_preemption(view);
  }

  // Nobody is asked when there is only one to choose: its segment counts all the same, and those
  // that could not begin before it are over. Otherwise the thread of one of them would be preferred
  // as soon as it can run again.
  void executed(const View& view, ThreadId id, const Operation&) override {
    if (view.candidates->count() != 1) return;
    while (segment_ < log_.segments.size() && runner(view) != id) ++segment_;
  }

  uint32_t choose(const Question& question) override {
    return choice_ < log_.choices.size() ? log_.choices[choice_++] % question.alternatives : 0;
  }

  uint64_t stop_for(ThreadId id) const override {
    if (segment_ >= log_.segments.size()) return UINT64_MAX;
    const GuideLog::Segment& now = log_.segments[segment_];
    return id < indices_.size() && indices_[id] == now.thread ? now.until : UINT64_MAX;
  }

 protected:
  // Nothing of the log is left for this run.
  bool is_past_segments() const { return segment_ >= log_.segments.size(); }
  bool is_past_choices() const { return choice_ >= log_.choices.size(); }
  bool is_thread(ThreadId id, uint32_t index) const {
    return id < indices_.size() && indices_[id] == index;
  }
  // By its order of creation; kNoThread: there is none yet.
  ThreadId id_of(uint32_t index) const {
    return index < threads_.size() ? threads_[index] : kNoThread;
  }

  GuideLog log_;

 private:
  // The thread of the segment that is next, if it can run.
  ThreadId runner(const View& view) const {
    JOSTLE_CHECK_LT(segment_, log_.segments.size());
    const GuideLog::Segment& now = log_.segments[segment_];
    if (now.thread >= threads_.size()) return kNoThread;
    const ThreadId id = threads_[now.thread];
    return view.candidates->contains(id) && view.events(id) < now.until ? id : kNoThread;
  }

  size_t segment_ = 0, choice_ = 0;
  EngineVector<ThreadId> threads_;  // by order of creation
  EngineVector<uint32_t> indices_;  // and back
};

}  // namespace jostle
