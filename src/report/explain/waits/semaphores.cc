// SPDX-License-Identifier: Apache-2.0
// Semaphores of the C++ library, whose number is the word on which they sleep.
#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/sentence.h"
#include "src/report/explain/waits/hopeless_waits.h"
#include "src/report/model/library_wait.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// The last step that changed what the thread waits for; kNoStep: none did.
uint32_t last_change(const NamedRun& run, const channel::ThreadReport& waiter) {
  uint32_t found = kNoStep;
  const auto steps = run.trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const bool is_value = is_memory(steps[i].event->kind) && steps[i].event->value_known != 0;
    if (is_value && steps[i].event->object == waiter.pending.object && step_changes(steps[i])) {
      found = i;
    }
  }
  return found;
}

}  // namespace

// A semaphore that has something to give and lets a thread sleep on: no program can make it do
// that. The library's own semaphores keep their number in the word on which they sleep.
void blame_semaphore(const NamedRun& run, const channel::ThreadReport& waiter, Explanation& into) {
  const LibraryWait library = library_wait(waiter, run.names);
  if (library.function != "std::counting_semaphore::acquire") return;
  const channel::TraceEvent* last = nullptr;
  for (const Step& step : run.trace.steps()) {
    // What an older store had is not what it is.
    const bool is_value =
        is_memory(step.event->kind) && step.event->value_known != 0 && step.event->stale == 0;
    if (is_value && step.event->object == waiter.pending.object) last = step.event;
  }
  if (!last || last->size != 4 || static_cast<int32_t>(last->value) <= 0) return;
  into.sentences.push_back(
      fmt::format("{} is {}: {} should have returned. The mistake is in the C++ library.",
                  library.object, run.names.value(*last), library.function));
}

// A semaphore keeps what it is given while nobody waits: no signal is lost. Who waits has come when
// it had nothing left.
void explain_semaphores(const NamedRun& run, Explanation& into) {
  constexpr size_t kMost = 3;
  Sentence say(run);
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    if (thread.state != channel::ThreadState::blocked || into.sentences.size() == kMost) continue;
    if (thread.pending.kind != OpKind::futex_wait) continue;
    const LibraryWait library = library_wait(thread, run.names);
    if (library.function != "std::counting_semaphore::acquire") continue;
    const uint32_t last = last_change(run, thread);
    if (last == kNoStep) continue;
    const channel::TraceEvent& taken = *run.trace.steps()[last].event;
    if (taken.size != 4 || static_cast<int32_t>(taken.value) != 0) continue;
    into.steps.push_back(last);
    const std::string waits =
        fmt::format("{} waits in {} {} on {}", run.names.title(thread.thread), library.function,
                    say.place(thread.stack), library.object);
    // One that begins with nothing was written so, and has been taken by nobody.
    into.sentences.push_back(
        taken.kind == OpKind::atomic_rmw
            ? fmt::format("{}: {} took the last {}, and nobody releases it any more.", waits,
                          run.names.title(taken.thread), say.place(taken.pc))
            : fmt::format("{}, which has nothing to give, and nobody releases it.", waits));
  }
  std::ranges::sort(into.steps);
}

}  // namespace jostle::report
