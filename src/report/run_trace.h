// A recorded run in the order in which things happened, with who saw what.
//
// The trace of a run lists operations as they were published: a thread that is preempted has its
// next operation in the trace already, and executes it only when it goes on. The segments of the
// schedule say when that is. And for every operation that observes something (a read, a lock that
// is taken) this knows which operation wrote it last.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/schedule/channel.h"

namespace jostle::report {

inline constexpr uint32_t kInitially = UINT32_MAX;  // nobody in this run has written it before

struct Step {
  const channel::TraceEvent* event;
  uint32_t segment;    // of the schedule, in which it was executed
  uint32_t of_thread;  // the how many-th step of its thread, from 0
  uint32_t source;     // the step that wrote what this one observes; kInitially
};

class RunTrace {
 public:
  // Refers to the record, which has to stay.
  explicit RunTrace(const channel::RunRecord& record);

  // Too long to be looked at, or not recorded: there are no steps.
  bool empty() const { return steps_.empty(); }
  std::span<const Step> steps() const { return steps_; }
  const channel::RunRecord& record() const { return record_; }
  // The steps of one thread in order: indices of steps().
  std::span<const uint32_t> of_thread(uint32_t thread) const;
  // Hash of the spawn path: the same thread in every run.
  uint64_t path(uint32_t thread) const;

  // Is the memory or object that the step touches used by several threads, one of them changing it?
  bool is_contended(const Step& step) const;

 private:
  void order();
  void connect();

  const channel::RunRecord& record_;
  std::vector<Step> steps_;
  std::vector<std::vector<uint32_t>> threads_;
  struct Use {
    uint32_t first_thread = UINT32_MAX;
    bool several = false, changed = false;
  };
  std::unordered_map<uintptr_t, Use> uses_;  // by 8 bytes
};

// Does it change what it touches, as far as its kind tells?
bool step_changes(const Step& step);
bool step_observes(const Step& step);

}  // namespace jostle::report
