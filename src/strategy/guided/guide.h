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
  struct Choice {
    uint32_t picked;
    // Of memory: which operation. Others are used in their order.
    ChoiceKind kind = ChoiceKind::target;
    uint32_t thread = 0;
    uint64_t event = 0;
  };
  EngineVector<Segment> segments;
  EngineVector<Choice> choices;

  static void copy_choices(const channel::Schedule& run, EngineVector<Choice>& to) {
    to.clear();
    for (uint32_t i = 0; i < run.choice_count; ++i) {
      const channel::Choice& choice = run.choices[i];
      to.push_back({choice.picked, choice.kind, choice.thread, choice.event});
    }
  }
  void clear() {
    segments.clear();
    choices.clear();
  }
  void copy(const GuideLog& other) {
    clear();
    for (const Segment& segment : other.segments) segments.push_back(segment);
    for (const Choice& choice : other.choices) choices.push_back(choice);
  }
  void copy(const channel::Schedule& run) {
    clear();
    for (uint32_t i = 0; i < run.segment_count; ++i) {
      segments.push_back({run.segments[i].thread, run.segments[i].until});
    }
    copy_choices(run, choices);
  }
};

class GuidedStrategy : public SelfDeciding {
 public:
  GuidedStrategy() {
    manner_.is_guided = true;
    manner_.holds_up = true;  // as the log has it
    manner_.chooses_stores = true;
  }

  void begin(const RunStart&) override {
    segment_ = choice_ = 0;
    knows_memory_ = false;
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
    if (is_of_access(question.kind)) return choose_store(question);
    skip_others();
    return is_past_choices() ? 0 : log_.choices[choice_++].picked % question.alternatives;
  }

  uint64_t stop_for(ThreadId id) const override {
    if (segment_ >= log_.segments.size()) return UINT64_MAX;
    const GuideLog::Segment& now = log_.segments[segment_];
    return id < indices_.size() && indices_[id] == now.thread ? now.until : UINT64_MAX;
  }

 protected:
  // Nothing of the log is left for this run.
  bool is_past_segments() const { return segment_ >= log_.segments.size(); }
  bool is_past_choices() {
    skip_others();
    return choice_ >= log_.choices.size();
  }
  bool is_thread(ThreadId id, uint32_t index) const {
    return id < indices_.size() && indices_[id] == index;
  }
  // By its order of creation; kNoThread: there is none yet.
  ThreadId id_of(uint32_t index) const {
    return index < threads_.size() ? threads_[index] : kNoThread;
  }

  GuideLog log_;

 private:
  // Found by its operation, wherever it is in the log: the order of threads may be another.
  uint32_t choose_store(const Question& question) {
    if (!knows_memory_) {
      memory_.clear();
      for (const GuideLog::Choice& choice : log_.choices) {
        if (is_of_access(choice.kind)) memory_.push_back(choice);
      }
      knows_memory_ = true;
    }
    for (const GuideLog::Choice& choice : memory_) {
      if (choice.kind == question.kind && choice.thread == question.thread &&
          choice.event == question.event) {
        return choice.picked % question.alternatives;
      }
    }
    return 0;
  }
  void skip_others() {
    while (choice_ < log_.choices.size() && is_of_operation(log_.choices[choice_].kind)) ++choice_;
  }
  // The thread of the segment that is next, if it can run.
  ThreadId runner(const View& view) const {
    JOSTLE_CHECK_LT(segment_, log_.segments.size());
    const GuideLog::Segment& now = log_.segments[segment_];
    if (now.thread >= threads_.size()) return kNoThread;
    const ThreadId id = threads_[now.thread];
    return view.candidates->contains(id) && view.events(id) < now.until ? id : kNoThread;
  }

  size_t segment_ = 0, choice_ = 0;
  EngineVector<GuideLog::Choice> memory_;  // of the log, once it was asked for
  bool knows_memory_ = false;
  EngineVector<ThreadId> threads_;  // by order of creation
  EngineVector<uint32_t> indices_;  // and back
};

}  // namespace jostle
