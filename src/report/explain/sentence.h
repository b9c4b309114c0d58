// SPDX-License-Identifier: Apache-2.0
// Parts of sentences about a run: who did what, where.
#pragma once

#include <string>

#include "src/report/explain/run_difference.h"

namespace jostle::report {

class Sentence {
 public:
  // With the names of steps: what callbacks do is said of them instead of their threads.
  explicit Sentence(const NamedRun& run, const StepNames* steps = nullptr)
      : run_(run), steps_(steps) {}

  // "T2 audit", "the 2nd on_read", "load on T1"
  std::string who(uint32_t step);
  // "(bank.cc:22)"
  std::string place(const Step& step);
  std::string place(const channel::Stack& stack);
  std::string place(uintptr_t pc);
  std::string object(const Step& step) { return run_.names.object(step.event->object); }
  // "read x = 50", "locked m"
  std::string did(const Step& step);
  // The same, of what has just been named: "wrote 50".
  std::string did_to_it(const Step& step, const Step& named);
  // "read", "write", "lock"
  static std::string verb(const Step& step);
  // "50"; empty when it is not known.
  std::string value(const Step& step) { return run_.names.value(*step.event); }

  // "the 2nd on_read (server.cc:30, descriptor 8)" for a callback.
  std::string callback(uint32_t actor);

 private:
  const Step& step(uint32_t i) const { return run_.trace.steps()[i]; }
  // "the 2nd ", if there are several calls.
  std::string which_call(uint32_t actor) const;

  const NamedRun& run_;
  const StepNames* steps_;
};

}  // namespace jostle::report
