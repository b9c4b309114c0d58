// SPDX-License-Identifier: Apache-2.0
#include "src/engine/self_check.h"

#include "src/runtime/api/draw_calls.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::engine {
namespace {

using namespace jostle::rt;

// Longer schedules are not worth the copy: a shorter one comes.
constexpr uint32_t kMostSegments = 1 << 16;

struct Trace {
  uint64_t digest, events;
  channel::Outcome outcome;
  int32_t code;

  explicit Trace(const channel::RunRecord& run)
      : digest(run.schedule.digest),
        events(run.events),
        outcome(run.end.outcome),
        code(run.end.code) {}
  bool operator==(const Trace&) const = default;
};

// How deep a recursion gets before it hits the guard depends on our own frames.
bool is_stack_overflow(const channel::Failure& end) {
  const Thread& main = *g_scheduler.thread_at(0);
  constexpr uintptr_t kGuard = 1 << 20;
  uintptr_t stacks_begin = 0, stacks_end = 0;  // those of the run are given back already
  stack_reservation(stacks_begin, stacks_end);
  return end.outcome == channel::Outcome::signalled &&
         ((end.address >= stacks_begin && end.address < stacks_end) ||
          (end.address + kGuard >= main.stack_begin && end.address < main.stack_end));
}

// What real time or the like decides may differ from run to run: no fault of the rewinding.
bool says_something(const channel::RunRecord& run) {
  return run.end.outcome != channel::Outcome::timed_out &&
         run.end.outcome != channel::Outcome::cut_off &&
         run.end.outcome != channel::Outcome::race && !is_stack_overflow(run.end) &&
         !run.log_overflow && run.schedule.segment_count <= kMostSegments;
}

}  // namespace

const char* SelfCheck::what_varies(const char* otherwise) const {
  const channel::Status& status = channel_.status;
  if (status.file_note[0]) return status.file_note;
  if (status.uncontrolled.load() & channel::kProcessId) {
    return "does not do the same twice under the same schedule: it asks for its process id "
           "(getpid), which differs in every process";
  }
  if (status.uncontrolled.load() & channel::kProcessFigures) {
    return "does not do the same twice under the same schedule: it reads figures of the kernel "
           "(/proc/self/stat and the like), which vary";
  }
  return otherwise;
}

void SelfCheck::check(bool here, bool in_child) {
  if (!(here || in_child) || !says_something(channel_.record)) return;
  const Trace first(channel_.record);
  copy_schedule(channel_.record.schedule, channel_.input);
  copy_draws(channel_.record.draws, channel_.draws);
  InputSource* const inputs = g_inputs;
  GivenInputs same(channel_.draws);
  g_inputs = &same;
  channel_.config.expected_end = static_cast<uint32_t>(first.outcome);
  // The campaign goes on as if it had not been checked: nothing is learned from the repetitions.
  SharingCell* const learned = g_sharing;
  if (!scratch_) scratch_ = map_sharing_table();
  g_sharing = scratch_ ? scratch_ : learned;
  const auto follow = [&](Executor& executor) {
    g_scheduler.begin_replay();
    begin_sharing_run(++repetitions_);
    g_scheduler.touch_memory_anew();
    return executor.run(0) == Executor::Result::done && Trace(channel_.record) == first;
  };
  Executor child(channel_);
  if (here) {
    --here_left_;
    if (!follow(executor_) && executor_.rewinds()) {
      channel_.status.runs_differed.store(1);
      // Twice in new processes tells whose fault it is.
      const bool varies = forks_ && !follow(child) && !follow(child);
      if (varies) channel_.status.uncontrolled.fetch_or(channel::kVaries);
      executor_.use_processes(
          varies ? what_varies("does not do the same twice under the same schedule: "
                               "something else decides, too (`jostle doctor` may "
                               "know what)")
                 : "does not run the same way twice in a rewound process");
    }
  }
  if (in_child && executor_.rewinds()) {
    --children_left_;
    was_in_child_ = true;
    if (!follow(child)) {
      channel_.status.runs_differed.store(1);
      executor_.use_processes(
          what_varies("runs another way in a fresh process than in a rewound one"));
    }
  }
  g_sharing = learned;
  g_inputs = inputs;
}

}  // namespace jostle::engine
