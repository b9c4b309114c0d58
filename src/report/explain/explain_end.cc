// SPDX-License-Identifier: Apache-2.0
// What the end of a run tells by itself: what was freed or misused, what was no order, who only
// spins; of those who wait hopeless_waits.h knows more.
#include <fmt/format.h>

#include "src/report/explain/explain.h"
#include "src/report/explain/sentence.h"
#include "src/report/explain/spin_loop.h"
#include "src/report/explain/waits/hopeless_waits.h"
#include "src/report/explain/waits/misused.h"
#include "src/report/model/freed_block.h"
#include "src/report/model/library_wait.h"
#include "src/report/text/race_text.h"
#include "src/report/words/record_view.h"
#include "src/schedule/starvation.h"

namespace jostle::report {
namespace {

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

// Which of several variables it waits for is not known.
std::string goes_on_looking(const std::string& who, const std::string& object,
                            const std::string& function, const std::string& place, size_t others) {
  return fmt::format("{} goes on looking at {}{} {}{}, which nobody changes any more.", who, object,
                     function.empty() ? "" : " in " + function, place,
                     others == 0 ? "" : " and " + count(others, "other variable"));
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
                                               looked.function, say.place(looked.event->pc),
                                               others_looked_at(loop, looked.object, run.names)));
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
      size_t others = 0;
      // On its way round it may be stopped at a variable of the library's, or where it looks at the
      // answer.
      if (loop != loops.end()) {
        const Looked looked = looked_at_in(loop->second, failing.names);
        const bool asks = looked.event != nullptr && looked.event->kind == OpKind::state_read;
        if (asks || (looked.event != nullptr && is_of_library(name))) name = looked.object;
        others = others_looked_at(loop->second, name, failing.names);
      }
      result.sentences.push_back(goes_on_looking(failing.names.title(thread.thread), name,
                                                 library_call(thread.stack, failing.names),
                                                 say.place(thread.stack), others));
      if (result.sentences.size() == 2) break;
    }
    if (result.empty()) explain_loops(failing, result);
    return result;
  }
  if (record.end.outcome == channel::Outcome::heap_error) explain_freed(failing, result);
  if (record.end.outcome == channel::Outcome::misuse) explain_misuse(failing, result);
  if (record.end.outcome == channel::Outcome::race) explain_race(failing, result);
  if (record.end.outcome == channel::Outcome::history) explain_operations(failing, result);
  if (record.end.outcome != channel::Outcome::deadlock) return result;
  for (const auto explain :
       {explain_family, explain_cycle, explain_ring, explain_results, explain_semaphores}) {
    explain(failing, result);
    if (!result.empty()) return result;
  }
  if (const channel::ThreadReport* missed = who_missed_a_signal(failing.trace)) {
    explain_wait(failing, *missed, result);
  }
  for (const channel::ThreadReport& thread : reports(record)) {
    if (!result.empty()) break;
    if (thread.state == channel::ThreadState::blocked) explain_wait(failing, thread, result);
  }
  return result;
}

}  // namespace jostle::report
