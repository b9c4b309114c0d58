// SPDX-License-Identifier: Apache-2.0
// What became of the signal that a thread still waits for.
#include <fmt/format.h>

#include <algorithm>

#include "src/report/explain/sentence.h"
#include "src/report/explain/waits/hopeless_waits.h"
#include "src/report/model/library_wait.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

bool is_signal(const Step& step) {
  return step.event->kind == OpKind::cond_signal || step.event->kind == OpKind::cond_broadcast ||
         step.event->kind == OpKind::futex_wake;
}

// The segment at whose end a thread began to wait there, if it did: its last one before `before`.
// UINT32_MAX: it did not.
uint32_t began_to_wait(const RunTrace& trace, uint32_t thread, OpKind kind, uint32_t before) {
  const auto list = segments(trace.record().schedule);
  for (uint32_t i = std::min(before, static_cast<uint32_t>(list.size())); i-- > 0;) {
    if (list[i].thread != thread) continue;
    const bool waited = list[i].forced == channel::kForced && list[i].stopped_at == kind;
    return waited ? i : UINT32_MAX;
  }
  return UINT32_MAX;
}

// The wait that the signal ended; kNoStep: nobody waited.
uint32_t woken_by(const RunTrace& trace, uint32_t signal, const channel::ThreadReport& waiter) {
  const Step& sent = trace.steps()[signal];
  for (uint32_t i = signal + 1; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (step.event->object != waiter.pending.object) continue;
    if (step.event->kind != waiter.pending.kind || never_ended(trace, i)) continue;
    // A wait is announced where it begins and executed where it ends.
    if (began_to_wait(trace, step.event->thread, step.event->kind, step.segment) < sent.segment) {
      return i;
    }
  }
  return kNoStep;
}

// Of those where this thread waits the last that others sent and the last of its own, which cannot
// wake it; kNoStep: there was none.
struct LastSignals {
  uint32_t others = kNoStep, own = kNoStep;
  bool own_found_nobody = false;
  // What is reported: not the own one that found nobody.
  uint32_t telling() const {
    const bool is_own = own != kNoStep && (others == kNoStep || own > others);
    return is_own && !own_found_nobody ? own : others;
  }
};
LastSignals last_signals(const RunTrace& trace, const channel::ThreadReport& waiter) {
  LastSignals last;
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const channel::TraceEvent& event = *trace.steps()[i].event;
    if (event.object != waiter.pending.object || !is_signal(trace.steps()[i])) continue;
    (event.thread == waiter.thread ? last.own : last.others) = i;
  }
  last.own_found_nobody = last.own != kNoStep && woken_by(trace, last.own, waiter) == kNoStep;
  return last;
}

bool waits_for_signal(const channel::ThreadReport& thread) {
  return thread.state == channel::ThreadState::blocked &&
         (thread.pending.kind == OpKind::cond_wait || thread.pending.kind == OpKind::futex_wait);
}

// What the waiter looked at last before the signal, and another thread changed while it was on its
// way to wait; kNoStep.
uint32_t outdated_look(const RunTrace& trace, uint32_t thread, uint32_t signal) {
  constexpr int kFarEnough = 64;
  const auto own = trace.of_thread(thread);
  const auto behind = std::ranges::lower_bound(own, signal);
  int tried = 0;
  for (auto i = behind; i != own.begin() && tried < kFarEnough; ++tried) {
    const Step& look = trace.steps()[*--i];
    if (!is_memory(look.event->kind) || !step_observes(look)) continue;
    // It has looked again since: what it saw then is what it went by.
    const bool again = std::any_of(behind, own.end(), [&](uint32_t later) {
      const Step& step = trace.steps()[later];
      return step_observes(step) && same_place(*step.event, *look.event);
    });
    if (again) continue;
    for (uint32_t w = *i + 1; w < signal; ++w) {
      const Step& write = trace.steps()[w];
      if (write.event->thread != thread && step_changes(write) && is_memory(write.event->kind) &&
          same_place(*write.event, *look.event)) {
        return *i;
      }
    }
  }
  return kNoStep;
}

// Who waits for others to arrive, and not for a signal.
bool waits_for_arrivals(const LibraryWait& library) {
  return library.function.starts_with("std::barrier::") ||
         library.function.starts_with("std::latch::");
}

}  // namespace

// Who waits where nobody else has signalled, but it has, waits for somebody to answer who cannot go
// on, either: of the signals that found nobody the last one tells more. Null: the first that waits
// is no such thread.
const channel::ThreadReport* who_missed_a_signal(const RunTrace& trace) {
  const channel::ThreadReport* found = nullptr;
  uint32_t latest = 0;
  bool is_first = true;
  for (const channel::ThreadReport& thread : reports(trace.record())) {
    if (!waits_for_signal(thread)) continue;
    const LastSignals last = last_signals(trace, thread);
    if (is_first && (last.telling() != kNoStep || last.own == kNoStep)) return nullptr;
    is_first = false;
    if (last.others == kNoStep || (found && last.others < latest)) continue;
    const uint32_t since = began_to_wait(trace, thread.thread, thread.pending.kind, UINT32_MAX);
    if (since < trace.steps()[last.others].segment) continue;
    if (woken_by(trace, last.others, thread) != kNoStep) continue;
    found = &thread;
    latest = last.others;
  }
  return found;
}

void explain_lost_signal(const NamedRun& run, const channel::ThreadReport& waiter,
                         Explanation& into) {
  const RunTrace& trace = run.trace;
  Sentence say(run);
  const LastSignals last = last_signals(trace, waiter);
  const uint32_t signal = last.telling();
  const LibraryWait library = library_wait(waiter, run.names);
  const std::string object =
      library.object.empty() ? run.names.object(waiter.pending.object) : library.object;
  const std::string who = run.names.title(waiter.thread);
  const std::string in = library.function.empty() ? "" : fmt::format("in {} ", library.function);
  const std::string waits = in + say.place(waiter.stack);
  if (waits_for_arrivals(library)) {
    into.only_the_end = true;
    into.sentences.push_back(
        fmt::format("{} waits {} on {}, and nobody wakes it any more.", who, waits, object));
    return;
  }
  if (signal == kNoStep) {
    into.only_the_end = true;
    into.sentences.push_back(
        library.function.empty()
            ? fmt::format("{} waits for {} {}, and nobody {}ever signals it.", who, object, waits,
                          last.own == kNoStep ? "" : "else ")
            : fmt::format("{} waits {} on {}, and nobody ever wakes it.", who, waits, object));
    return;
  }
  const Step& sent = trace.steps()[signal];
  const uint32_t woken = woken_by(trace, signal, waiter);
  const uint32_t since = began_to_wait(trace, waiter.thread, waiter.pending.kind, UINT32_MAX);
  into.steps.push_back(signal);
  if (woken != kNoStep) into.steps.push_back(woken);
  const std::string other =
      woken == kNoStep ? "" : run.names.title(trace.steps()[woken].event->thread);
  const std::string signalled = fmt::format(
      "{} signalled {} {}", run.names.title(sent.event->thread), object, say.place(sent));
  if (since < sent.segment) {
    into.sentences.push_back(
        woken == kNoStep
            ? fmt::format("{}, which did not reach {}: it still waits {} and nobody signals again.",
                          signalled, who, waits)
            : fmt::format("{}, but it was {} that woke up; {} still waits {} and nobody signals "
                          "again.",
                          signalled, other, who, waits));
    return;
  }
  if (woken != kNoStep) {
    into.sentences.push_back(
        trace.steps()[woken].event->thread == waiter.thread
            ? fmt::format("{} and woke {}, which waits again {}; nobody signals any more.",
                          signalled, who, waits)
            : fmt::format("{} and woke {}; {} began to wait afterwards {} and nobody signals "
                          "again.",
                          signalled, other, who, waits));
    return;
  }
  const uint32_t look = outdated_look(trace, waiter.thread, signal);
  if (look == kNoStep) {
    into.sentences.push_back(
        fmt::format("{} when nobody waited; {} began to wait afterwards {} and nobody signals "
                    "again.",
                    signalled, who, waits));
    return;
  }
  into.steps.push_back(look);
  into.sentences.push_back(fmt::format(
      "{} when nobody waited; {} had {} {} before that, began to wait afterwards {} "
      "and nobody signals again.",
      signalled, who, say.did(trace.steps()[look]), say.place(trace.steps()[look]), waits));
}

}  // namespace jostle::report
