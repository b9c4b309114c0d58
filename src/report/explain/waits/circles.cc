// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, in a circle.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "src/report/explain/running_handler.h"
#include "src/report/explain/sentence.h"
#include "src/report/explain/waits/hopeless_waits.h"
#include "src/report/model/library_wait.h"
#include "src/report/text/waiting_text.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// The lock of this thread that others in the cycle wait for; null: none.
const channel::HeldLock* wanted_lock(const NamedRun& run, const channel::ThreadReport& thread) {
  const channel::HeldLock* wanted = nullptr;
  for (const channel::HeldLock& lock : held(thread)) {
    for (const channel::ThreadReport& other : reports(run.trace.record())) {
      const bool waits = other.in_cycle != 0 && other.pending.object == lock.object;
      if (waits && (!wanted || &other != &thread)) wanted = &lock;
    }
  }
  return wanted;
}

// Who wants to write what the thread wants to read: some locks let it go first. Null: nobody.
const channel::ThreadReport* writer_before(const NamedRun& run,
                                           const channel::ThreadReport& reader) {
  if (reader.pending.kind != OpKind::rwlock_read) return nullptr;
  for (const channel::ThreadReport& other : reports(run.trace.record())) {
    if (other.pending.kind == OpKind::rwlock_write &&
        other.pending.object == reader.pending.object) {
      return &other;
    }
  }
  return nullptr;
}

// … at this place of the program: the thread may have done the same before at another one.
bool is_still_waiting(const RunTrace& trace, uint32_t step) {
  const channel::TraceEvent& wait = *trace.steps()[step].event;
  return never_ended(trace, step) &&
         std::ranges::any_of(reports(trace.record()), [&](const channel::ThreadReport& thread) {
           return thread.thread == wait.thread && thread.pending.pc == wait.pc;
         });
}

// Where a semaphore is used like a lock (the thread that posts it has taken from it before): the
// step with which the thread took what it has not given back; kNoStep: none.
uint32_t took_and_keeps(const RunTrace& trace, uint32_t thread, uintptr_t semaphore) {
  struct Taken {
    uint32_t times = 0, last = kNoStep;
  };
  std::map<uint32_t, Taken> by_thread;
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const channel::TraceEvent& event = *trace.steps()[i].event;
    if (event.object != semaphore) continue;
    Taken& taken = by_thread[event.thread];
    if (event.kind == OpKind::sem_wait && !is_in_vain(event) && !is_still_waiting(trace, i)) {
      ++taken.times;
      taken.last = i;
    }
    if (event.kind == OpKind::sem_post && taken.times-- == 0) return kNoStep;
  }
  return by_thread[thread].times == 0 ? kNoStep : by_thread[thread].last;
}

// A thread that waits for another one, who took what it wants: there, or nowhere in particular.
struct Wanting {
  const channel::ThreadReport* thread = nullptr;
  const channel::ThreadReport* holder = nullptr;
  uint32_t took = kNoStep;  // of a semaphore
  channel::Stack taken_at = {};
};

std::optional<Wanting> who_has_it(const NamedRun& run, const channel::ThreadReport& thread) {
  const auto object = static_cast<uintptr_t>(thread.pending.object);
  for (const channel::ThreadReport& other : reports(run.trace.record())) {
    if (&other == &thread || other.state != channel::ThreadState::blocked) continue;
    if (thread.pending.kind == OpKind::sem_wait) {
      const uint32_t took = took_and_keeps(run.trace, other.thread, object);
      if (took != kNoStep) return Wanting{&thread, &other, took};
      continue;
    }
    for (const channel::HeldLock& lock : held(other)) {
      if (lock.object == object) return Wanting{&thread, &other, kNoStep, lock.acquired_at};
    }
  }
  return std::nullopt;
}

}  // namespace

void explain_cycle(const NamedRun& run, Explanation& into) {
  Sentence say(run);
  std::vector<std::string> parts;
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    if (thread.in_cycle == 0) continue;
    const bool joins = thread.pending.kind == OpKind::thread_join;
    const channel::HeldLock* lock = wanted_lock(run, thread);
    const std::string who = run.names.title(thread.thread);
    const std::string handler = running_handler(run.trace.record(), thread, run.symbols);
    const std::string there =
        handler.empty() ? "" : fmt::format(", in the signal handler {},", handler);
    const std::string place = say.place(thread.stack);
    const LibraryWait inside = library_wait(thread, run.names);
    const std::string wanted =
        joins ? run.names.title(thread.waits_for_thread) : run.names.object(thread.pending.object);
    const std::string wants = joins ? fmt::format("waits for {} to finish", wanted)
                              : !inside.function.empty()
                                  ? fmt::format("waits in {} on {}", inside.function, wanted)
                                  : fmt::format("wants {}", wanted);
    if (!lock) {
      parts.push_back(fmt::format("{}{} {} {}", who, there, wants, place));
      continue;
    }
    if (const uint32_t took = last_step(run.trace, thread.thread, lock->object); took != kNoStep) {
      into.steps.push_back(took);
    }
    const bool locks_again = !joins && lock->object == thread.pending.object;
    const channel::ThreadReport* const writer = locks_again ? writer_before(run, thread) : nullptr;
    if (writer && lock->kind == OpKind::rwlock_read) {
      parts.push_back(fmt::format(
          "{} holds {} for reading {} and locks it once more {}, behind {}, who waits to write {}",
          who, wanted, say.place(lock->acquired_at), place, run.names.title(writer->thread),
          say.place(writer->stack)));
      continue;
    }
    if (locks_again) {
      parts.push_back(fmt::format("{}{} locks {} {}, which it holds already {}", who, there, wanted,
                                  place, say.place(lock->acquired_at)));
      continue;
    }
    const bool computes = is_inside_library(lock->kind, lock->object, run.names);
    parts.push_back(fmt::format(
        "{} {} {} {} and then{} {} {}", who, computes ? "began to compute" : "took",
        run.names.object(lock->object), say.place(lock->acquired_at), there, wants, place));
  }
  if (parts.empty()) return;
  constexpr size_t kMost = 4;
  if (parts.size() > kMost) {  // the first two and the one that closes the circle
    parts = {parts[0], parts[1], fmt::format("so do {} more", parts.size() - 3), parts.back()};
  }
  into.sentences.push_back(fmt::format("{}.", fmt::join(parts, "; ")));
}

// Semaphores have no owner: where they are used like locks the circle shows in the trace.
void explain_ring(const NamedRun& run, Explanation& into) {
  Sentence say(run);
  for (const channel::ThreadReport& start : reports(run.trace.record())) {
    if (start.state != channel::ThreadState::blocked) continue;
    std::vector<Wanting> ring;
    const channel::ThreadReport* at = &start;
    constexpr size_t kLongest = 4;
    for (bool closed = false; !closed && ring.size() < kLongest;) {
      const std::optional<Wanting> next = who_has_it(run, *at);
      if (!next) break;
      ring.push_back(*next);
      at = next->holder;
      closed = at == &start;
    }
    if (ring.size() < 2 || at != &start) continue;
    std::string text;
    for (size_t i = 0; i < ring.size(); ++i) {
      // What it has is what the one before it in the circle wants.
      const Wanting &has = ring[i], &wants = ring[(i + 1) % ring.size()];
      const bool from = has.took != kNoStep;
      if (from) into.steps.push_back(has.took);
      text += fmt::format("{}{} took {}{} {} and then wants {} {}", text.empty() ? "" : "; ",
                          run.names.title(has.holder->thread), from ? "from " : "",
                          run.names.object(has.thread->pending.object),
                          from ? say.place(run.trace.steps()[has.took]) : say.place(has.taken_at),
                          run.names.object(wants.thread->pending.object),
                          say.place(wants.thread->stack));
    }
    into.sentences.push_back(text + ".");
    std::ranges::sort(into.steps);
    return;
  }
}

void explain_family(const NamedRun& run, Explanation& into) {
  Sentence say(run);
  for (const channel::FamilyWait& wait : family_waits(run.trace.record())) {
    std::string who = family_member(wait.process, wait.thread, run.names);
    if (wait.process != 0) {
      who[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(who[0])));
    }
    std::string held;
    if (wait.held != channel::FamilyHolder::unknown) {
      const bool copied = wait.held == channel::FamilyHolder::held_at_fork;
      held = fmt::format(
          ", which {} {}", family_member(wait.holder_process, wait.holder_thread, run.names),
          copied ? "held at the fork: in the child nobody is left to unlock it" : "holds");
    }
    into.sentences.push_back(fmt::format("{} {} {}{}.", who, waiting_text(wait, run.names),
                                         say.place(wait.pending.pc), held));
  }
}

}  // namespace jostle::report
