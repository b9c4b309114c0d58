// SPDX-License-Identifier: Apache-2.0
// Waits of one thread, and of all for results.
#include "src/report/explain/waits/hopeless_waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/sentence.h"
#include "src/report/model/library_wait.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
uint32_t last_step(const RunTrace& trace, uint32_t thread, uintptr_t object) {
  const auto steps = trace.of_thread(thread);
  for (size_t i = steps.size(); i-- > 0;) {
    if (trace.steps()[steps[i]].event->object == object) return steps[i];
  }
  return kNoStep;
}

bool never_ended(const RunTrace& trace, uint32_t step) {
  const channel::TraceEvent& wait = *trace.steps()[step].event;
  return trace.of_thread(wait.thread).back() == step &&
         std::ranges::any_of(reports(trace.record()), [&](const channel::ThreadReport& thread) {
           return thread.thread == wait.thread && thread.pending.object == wait.object &&
                  thread.pending.kind == wait.kind;
         });
}

namespace {

bool waits_for_result(const std::string& function) {
  return function.starts_with("std::future::") || function.starts_with("std::shared_future::");
}

}  // namespace

// Everybody waits for a result, or for who does: the tasks of a pool, say, for other tasks of the
// same pool. Which of them was submitted first is not why.
void explain_results(const NamedRun& run, Explanation& into) {
  std::vector<const channel::ThreadReport*> waiting;
  bool are_tasks = false;
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    if (thread.state != channel::ThreadState::blocked) continue;
    if (thread.pending.kind == OpKind::thread_join) continue;
    if (!waits_for_result(library_wait(thread, run.names).function)) return;
    are_tasks |= thread.thread != 0;
    waiting.push_back(&thread);
  }
  if (!are_tasks || waiting.size() < 2) return;
  constexpr size_t kMost = 4;
  Sentence say(run);
  std::vector<std::string> parts;
  for (const channel::ThreadReport* thread : waiting) {
    if (parts.size() == kMost) break;
    parts.push_back(fmt::format("{} waits in {} {}", run.names.title(thread->thread),
                                library_wait(*thread, run.names).function,
                                say.place(thread->stack)));
  }
  if (waiting.size() > kMost) parts.back() = fmt::format("so do {} more", waiting.size() - 3);
  into.sentences.push_back(
      fmt::format("{}: nobody is left who could make a result ready.", fmt::join(parts, "; ")));
}

void explain_wait(const NamedRun& run, const channel::ThreadReport& thread, Explanation& into) {
  Sentence say(run);
  const std::string who = run.names.title(thread.thread);
  const std::string what = run.names.object(thread.pending.object);
  const std::string place = say.place(thread.stack);
  switch (thread.pending.kind) {
    case OpKind::cond_wait:
    case OpKind::futex_wait:
      explain_lost_signal(run, thread, into);
      return blame_semaphore(run, thread, into);
    case OpKind::barrier_wait:
      into.only_the_end = true;
      into.sentences.push_back(fmt::format(
          "{} waits at the barrier {} {}, and nobody else will come.", who, what, place));
      return;
    case OpKind::sem_wait:
      into.only_the_end = true;
      into.sentences.push_back(
          fmt::format("{} waits for semaphore {} {}, and nobody will post it.", who, what, place));
      return;
    case OpKind::thread_join:
      return;
    default:
      break;
  }
  // A lock whose holder has ended.
  for (const channel::ThreadReport& holder : reports(run.trace.record())) {
    const bool is_holder =
        holder.thread == thread.waits_for_thread && holder.state == channel::ThreadState::finished;
    if (!is_holder) continue;
    std::string taken;
    for (const channel::HeldLock& lock : held(holder)) {
      if (lock.object == thread.pending.object) {
        taken = " " + say.place(lock.acquired_at);
      }
    }
    if (const uint32_t took = last_step(run.trace, holder.thread, thread.pending.object);
        took != kNoStep) {
      into.steps.push_back(took);
    }
    into.sentences.push_back(
        fmt::format("{} waits for {} {}: {} took it{} and ended without giving "
                    "it back.",
                    who, what, place, run.names.title(holder.thread), taken));
    return;
  }
}

}  // namespace jostle::report
