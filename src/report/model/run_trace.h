// SPDX-License-Identifier: Apache-2.0
// A recorded run in the order in which things happened, with who saw what.
//
// The trace of a run lists operations as they were published: a thread that is preempted has its
// next operation in the trace already, and executes it only when it goes on. `execution_order` says
// when that is, `data_flow` which operation wrote what another one observes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/report/model/lock_holds.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

inline constexpr uint32_t kInitially = UINT32_MAX;  // nobody in this run has written it before

struct Step {
  const channel::TraceEvent* event;
  uint32_t segment;    // of the schedule, in which it was executed
  uint32_t of_thread;  // its number in its thread, from 0
  uint32_t source;     // the step that wrote what this one observes; kInitially
  bool contended;      // touches what several threads use, and one of them changes
};

class RunTrace {
 public:
  // Refers to the record, which has to stay.
  explicit RunTrace(const channel::RunRecord& record);

  // Too long to be looked at, or not recorded: there are no steps.
  bool empty() const { return steps_.empty(); }
  std::span<const Step> steps() const { return steps_; }
  // Where the step is in the record's trace.
  uint32_t entry_of(uint32_t step) const {
    return static_cast<uint32_t>(steps_[step].event - record_.trace);
  }
  const channel::RunRecord& record() const { return record_; }
  // The steps of one thread in order: indices of steps().
  std::span<const uint32_t> of_thread(uint32_t thread) const;
  // Where the thread took the first of the locks that it holds at this step, or the step itself:
  // who is to wait before it must not keep others out.
  uint32_t before_locks(uint32_t step) const;
  // Hash of the spawn path: the same thread in every run.
  uint64_t path(uint32_t thread) const;
  // The thread with this hash was over before the run was.
  bool has_ended(uint64_t path) const;

 private:
  const channel::RunRecord& record_;
  std::vector<Step> steps_;
  std::vector<std::vector<uint32_t>> threads_;
  std::vector<LockHold> holds_;
};

// A compare-exchange is one whether or not it succeeds.
OpKind operation_kind(const channel::TraceEvent& event);

// Do both touch the same bytes, or the same object?
bool same_place(const channel::TraceEvent& a, const channel::TraceEvent& b);
// … and one of them changes it?
bool conflict(const Step& a, const Step& b);

// Does it change what it touches, as far as its kind tells?
bool step_changes(const Step& step);
bool step_observes(const Step& step);

}  // namespace jostle::report
