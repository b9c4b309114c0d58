// SPDX-License-Identifier: Apache-2.0
// What the end of a run tells by itself: who waits for whom, which signal was lost, who only spins.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "src/report/explain/explain.h"
#include "src/report/explain/running_handler.h"
#include "src/report/explain/sentence.h"
#include "src/report/explain/spin_loop.h"
#include "src/report/model/freed_block.h"
#include "src/report/model/library_wait.h"
#include "src/report/text/race_text.h"
#include "src/report/text/waiting_text.h"
#include "src/report/words/record_view.h"
#include "src/schedule/starvation.h"

namespace jostle::report {
namespace {

// The thread's last step on this object.
uint32_t last_step(const RunTrace& trace, uint32_t thread, uintptr_t object) {
  const auto steps = trace.of_thread(thread);
  for (size_t i = steps.size(); i-- > 0;) {
    if (trace.steps()[steps[i]].event->object == object) return steps[i];
  }
  return kNoStep;
}

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

// Who holds what and wants what, around the cycle.
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

// The thread was still in this wait when the run ended: nobody has woken it.
bool never_ended(const RunTrace& trace, uint32_t step) {
  const channel::TraceEvent& wait = *trace.steps()[step].event;
  return trace.of_thread(wait.thread).back() == step &&
         std::ranges::any_of(reports(trace.record()), [&](const channel::ThreadReport& thread) {
           return thread.thread == wait.thread && thread.pending.object == wait.object &&
                  thread.pending.kind == wait.kind;
         });
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

// A thread waits for a signal that nobody will send: what became of the last one?
void explain_lost_signal(const NamedRun& run, const channel::ThreadReport& waiter,
                         Explanation& into) {
  const RunTrace& trace = run.trace;
  Sentence say(run);
  uint32_t signal = kNoStep;
  for (uint32_t i = 0; i < trace.steps().size(); ++i) {
    const Step& step = trace.steps()[i];
    if (step.event->object == waiter.pending.object && is_signal(step)) signal = i;
  }
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
            ? fmt::format("{} waits for {} {}, and nobody ever signals it.", who, object, waits)
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

// A thread waits for what nobody will do, and not because others wait for it.
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

// What makes two accesses a race is not the order in which they came.
void explain_race(const NamedRun& run, Explanation& into) {
  if (races(run.trace.record()).empty()) return;
  const channel::RaceRecord& race = races(run.trace.record()).back();
  Sentence say(run);
  const auto access = [&](const channel::RaceAccess& which) {
    return fmt::format("{}'s {} {}", run.names.title(which.thread),
                       which.frees    ? "free"
                       : which.writes ? "write"
                                      : "read",
                       which.stack.depth != 0 ? say.place(which.stack) : say.place(which.pc));
  };
  into.only_the_end = true;
  into.sentences.push_back(
      fmt::format("Nothing orders {} and {}: no lock, join, or release and acquire leads from one "
                  "to the other.",
                  access(race.earlier), access(race.later)));
}

// Who freed what is used now.
void explain_freed(const NamedRun& run, Explanation& into) {
  const channel::Failure& end = run.trace.record().end;
  const channel::ObjectRecord* block = freed_block(run.trace.record());
  if (block == nullptr) return;
  Sentence say(run);
  const bool again = bounded(end.message).starts_with("double free");
  into.only_the_end = true;
  into.sentences.push_back(fmt::format("{} freed the block {} before {} {} it {}.",
                                       run.names.title(block->freed_by), say.place(block->freed_at),
                                       run.names.title(end.thread), again ? "freed" : "used",
                                       say.place(end.stack)));
}

// Operations of a test that wait for ever may do so because of the library.
void explain_operations(const NamedRun& run, Explanation& into) {
  into.only_the_end = true;
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    const bool waits = thread.state == channel::ThreadState::blocked;
    if (waits && thread.pending.kind == OpKind::futex_wait) blame_semaphore(run, thread, into);
  }
}

// Locks that several processes share: who waits in each of them, and for whom.
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

// Why a thread asks again and again: another one has the lock, or nobody posts the semaphore.
std::string not_given(const NamedRun& run, uint32_t asking, const channel::TraceEvent& asked) {
  if (asked.kind == OpKind::sem_wait) return "nobody posts any more";
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    if (thread.thread == asking) continue;
    for (const channel::HeldLock& lock : held(thread)) {
      if (lock.object == asked.object) return run.names.title(thread.thread) + " holds";
    }
  }
  return "";
}

std::string goes_on_looking(const std::string& who, const std::string& object,
                            const std::string& function, const std::string& place) {
  return fmt::format("{} goes on looking at {}{} {}, which nobody changes any more.", who, object,
                     function.empty() ? "" : " in " + function, place);
}

// What those look at, or ask for, who go round and round.
void explain_loops(const NamedRun& run, Explanation& into) {
  Sentence say(run);
  for (const auto& [thread, loop] : spin_loops(run.trace.record())) {
    if (into.sentences.size() == 2) return;
    const Looked looked = looked_at_in(loop, run.names);
    if (looked.event != nullptr) {
      into.only_the_end = true;
      into.sentences.push_back(goes_on_looking(run.names.title(thread), looked.object,
                                               looked.function, say.place(looked.event->pc)));
      continue;
    }
    const channel::TraceEvent* asked = asked_for_in(loop);
    const std::string why = asked != nullptr ? not_given(run, thread, *asked) : "";
    if (why.empty()) continue;
    into.only_the_end = true;
    into.sentences.push_back(fmt::format("{} goes on asking for {} {}, which {}.",
                                         run.names.title(thread), run.names.object(asked->object),
                                         say.place(asked->pc), why));
  }
}

}  // namespace

Explanation explain_end(const NamedRun& failing) {
  Explanation result;
  Sentence say(failing);
  const channel::RunRecord& record = failing.trace.record();
  if (channel::is_starvation(record.end)) return result;  // the headline says it all
  if (record.end.outcome == channel::Outcome::livelock) {
    const auto loops = spin_loops(record);
    for (const channel::ThreadReport& thread : reports(record)) {
      const auto loop = loops.find(thread.thread);
      const uint64_t object = thread.pending.object;
      if (thread.spins == 0 || object == 0 || !is_memory(thread.pending.kind)) continue;
      if (loop != loops.end() && is_written_in(loop->second, object)) continue;
      std::string name = failing.names.object(object);
      // On its way round it may be stopped at a variable of the library's.
      if (loop != loops.end() && is_of_library(name)) {
        const Looked looked = looked_at_in(loop->second, failing.names);
        if (looked.event != nullptr) name = looked.object;
      }
      result.sentences.push_back(goes_on_looking(failing.names.title(thread.thread), name,
                                                 library_call(thread.stack, failing.names),
                                                 say.place(thread.stack)));
      if (result.sentences.size() == 2) break;
    }
    if (result.empty()) explain_loops(failing, result);
    return result;
  }
  if (record.end.outcome == channel::Outcome::heap_error) explain_freed(failing, result);
  if (record.end.outcome == channel::Outcome::race) explain_race(failing, result);
  if (record.end.outcome == channel::Outcome::history) explain_operations(failing, result);
  if (record.end.outcome != channel::Outcome::deadlock) return result;
  explain_family(failing, result);
  if (!result.empty()) return result;
  explain_cycle(failing, result);
  if (!result.empty()) return result;
  explain_semaphores(failing, result);
  if (!result.empty()) return result;
  for (const channel::ThreadReport& thread : reports(record)) {
    if (thread.state != channel::ThreadState::blocked) continue;
    explain_wait(failing, thread, result);
    if (!result.empty()) break;
  }
  return result;
}

}  // namespace jostle::report
