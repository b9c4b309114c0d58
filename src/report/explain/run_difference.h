// SPDX-License-Identifier: Apache-2.0
// A failing and a passing run side by side: which reads saw another write, and which of these made
// the run fail.
//
// The same actor (step_names.h) does the same in both runs until it has read something else. From
// the last read of the failing thread that saw another value the way leads back: where it only saw
// what another thread got wrong before, that thread's reads are looked at in turn, until two
// operations are found whose order is the scheduler's doing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/report/model/names/names.h"
#include "src/report/model/names/step_names.h"
#include "src/report/model/run_trace.h"
#include "src/report/symbols/symbolizer.h"

namespace jostle::report {

// A run with what it takes to name what it did.
struct NamedRun {
  const RunTrace& trace;
  Symbolizer& symbols;
  Names& names;
};

// The operations whose order decides. Steps of the failing run, but for `write_there`.
struct Cause {
  enum class Kind {
    too_early,    // `read` comes before the write that it observes in the passing run
    too_late,     // `read` observes `write`, which in the passing run comes later, or not at all
    overwritten,  // `write` comes after `other`; in the passing run it is the other way round
    interrupted,  // `write` comes between `other` and `read`, which belong together
  };
  Kind kind;
  uint32_t read;
  uint32_t write;                  // too_early: kNoStep when the run ended before
  uint32_t write_there = kNoStep;  // too_early: in the passing run
  uint32_t other = kNoStep;
  bool operator==(const Cause&) const = default;
};

// What others did while a thread was preempted, between two accesses of it that they conflict with.
// The last preemption first.
std::vector<Cause> interruptions(const RunTrace& failing);
// The same where the thread's first access came before the other thread was there.
std::vector<Cause> early_interruptions(const RunTrace& failing);
// The same of a lock: others held it between two times that the preempted thread did. Each time is
// guarded, both together are not.
std::vector<Cause> lock_interruptions(const RunTrace& failing);

class RunDifference {
 public:
  // Refers to both, which have to stay.
  RunDifference(const NamedRun& failing, const NamedRun& passing);

  // How many reads saw another write, and how much of the failing run the other does not do at all:
  // of several passing runs the nearest tells most.
  uint64_t distance() const { return distance_; }
  std::optional<Cause> cause() const;
  // Of what the failing thread read last: who should have written before, or should not.
  std::vector<Cause> nearest_causes() const;

  const StepNames& failing_names() const { return mine_; }
  const StepNames& passing_names() const { return theirs_; }

  // The thread was preempted after step `from` and went on before or at `to`. Steps of the failing
  // run.
  bool preempted_between(uint32_t thread, uint32_t from, uint32_t to) const;

 private:
  struct Read {
    uint32_t failing, passing;  // steps
  };
  struct Aligned {
    uint32_t actor_there = kNoActor;
    uint32_t length = 0;  // so many steps are the same operations
    std::vector<Read> differences = {}, synchronisation = {};
  };

  const Step& step(uint32_t i) const { return failing_.trace.steps()[i]; }
  const Step& step_there(uint32_t i) const { return passing_.trace.steps()[i]; }
  void compare(uint32_t actor);
  bool differs(const Step& mine, const Step& theirs) const;
  bool is_of_program(const Step& step) const;
  // The same step of the other run; kNoStep: there is none.
  uint32_t in_passing(uint32_t failing_step) const;
  uint32_t in_failing(uint32_t passing_step) const;
  // The actor did something else in the failing run before it came to where the passing one has
  // this step, or would have.
  bool left_before(uint32_t passing_step) const;
  // Its thread was over in the failing run, and had not come to it.
  bool ended_before(uint32_t passing_step) const;

  std::vector<uint32_t> where_it_shows() const;
  std::optional<Cause> follow(Read read, bool memory) const;
  std::optional<Cause> direct(const Read& read) const;
  // The same step of the other run, if it touches what `like` does there.
  uint32_t source_in_passing(const Read& read) const;
  uint32_t source_in_failing(const Read& read) const;
  const Read* difference_before(uint32_t actor, uint32_t step, uintptr_t object) const;
  // What the actor last did to the object before that step; kNoStep.
  uint32_t last_access(uint32_t actor, uint32_t before, uintptr_t object) const;
  bool is_interrupted(const Read& read) const;
  bool has_looked(uint32_t write) const;

  const NamedRun failing_, passing_;
  StepNames mine_, theirs_;
  std::vector<Aligned> aligned_;  // by actor of the failing run
  uint64_t distance_ = 0;
};

}  // namespace jostle::report
