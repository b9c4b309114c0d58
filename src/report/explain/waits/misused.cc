// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/waits/misused.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "src/report/explain/sentence.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

bool is_destroyed_in_use(const channel::RunRecord& record) {
  return record.end.outcome == channel::Outcome::misuse && record.end.address != 0 &&
         bounded(record.end.message).find(" is destroyed while ") != std::string_view::npos;
}

// "T1 work waited for it (pool.c:8)", "T1 work held it (pool.c:8)"; empty: not this thread.
std::string use_of(const channel::ThreadReport& thread, uintptr_t object, const NamedRun& run,
                   Sentence& say) {
  const std::string who = run.names.title(thread.thread);
  for (const channel::HeldLock& lock : held(thread)) {
    if (lock.object == object)
      return fmt::format("{} held it {}", who, say.place(lock.acquired_at));
  }
  if (thread.thread == run.trace.record().end.thread || thread.pending.object != object) return {};
  const bool waits = thread.state == channel::ThreadState::blocked;
  return fmt::format("{} {} it {}", who, waits ? "waited for" : "was about to use",
                     say.place(thread.stack));
}

void explain_destroyed(const NamedRun& run, Explanation& into) {
  const channel::Failure& end = run.trace.record().end;
  Sentence say(run);
  for (const channel::ThreadReport& thread : reports(run.trace.record())) {
    const std::string use = use_of(thread, end.address, run, say);
    if (use.empty()) continue;
    into.only_the_end = true;
    into.sentences.push_back(fmt::format("{} destroyed {} {} while {}.",
                                         run.names.title(end.thread), run.names.object(end.address),
                                         say.place(end.stack), use));
    return;
  }
}

bool is_used_too_late(const channel::RunRecord& record) {
  return record.end.outcome == channel::Outcome::misuse && record.end.address != 0 &&
         bounded(record.end.message).find(" is used after it was destroyed") !=
             std::string_view::npos;
}

// Where it was destroyed: whoever writes a synchronisation object destroys it or makes it anew, and
// this came last. kNoStep: not known, or it may be that it never was initialised.
uint32_t destruction(const NamedRun& run) {
  const channel::Failure& end = run.trace.record().end;
  const std::string_view message = bounded(end.message);
  const auto steps = run.trace.steps();
  constexpr uint32_t kLargestAccess = 16;  // of the program's own
  const bool is_spin_lock = message.starts_with("a spin lock");
  uint32_t last = kNoStep, times = 0;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const channel::TraceEvent& event = *steps[i].event;
    if (event.object != end.address || event.kind != OpKind::write) continue;
    if (event.size <= kLargestAccess && !is_spin_lock) continue;
    last = i;
    ++times;
  }
  const bool is_certain = message.find(" never initialised") == std::string_view::npos;
  return is_certain || times > 1 ? last : kNoStep;
}

void explain_used(const NamedRun& run, Explanation& into) {
  const channel::Failure& end = run.trace.record().end;
  const uint32_t destroyed = destruction(run);
  if (destroyed == kNoStep) return;
  Sentence say(run);
  into.only_the_end = true;
  into.steps.push_back(destroyed);
  const uint32_t by = run.trace.steps()[destroyed].event->thread;
  const std::string used = by == end.thread
                               ? "and then used it"
                               : fmt::format("before {} used it", run.names.title(end.thread));
  into.sentences.push_back(
      fmt::format("{} destroyed {} {} {} {}.", run.names.title(by), run.names.object(end.address),
                  say.place(run.trace.steps()[destroyed]), used, say.place(end.stack)));
}

// The run knows the thread by its place in our table, which later threads may have had, too: then
// it is not said who joined it.
void explain_joined(const NamedRun& run, Explanation& into) {
  const channel::Failure& end = run.trace.record().end;
  uint32_t first = kNoStep;
  const auto steps = run.trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].event->kind != OpKind::thread_join || steps[i].event->object != end.address) {
      continue;
    }
    if (first != kNoStep) return;
    first = i;
  }
  if (first == kNoStep) return;
  Sentence say(run);
  const bool joins = bounded(end.message).starts_with("a thread is joined");
  into.only_the_end = true;
  into.steps.push_back(first);
  into.sentences.push_back(fmt::format("{} had joined the thread {} before {} {} it {}.",
                                       run.names.title(steps[first].event->thread),
                                       say.place(steps[first]), run.names.title(end.thread),
                                       joins ? "joined" : "detached", say.place(end.stack)));
}

}  // namespace

void explain_misuse(const NamedRun& failing, Explanation& into) {
  const channel::RunRecord& record = failing.trace.record();
  if (record.end.outcome != channel::Outcome::misuse || record.end.address == 0) return;
  if (is_destroyed_in_use(record)) return explain_destroyed(failing, into);
  if (is_used_too_late(record)) return explain_used(failing, into);
  if (bounded(record.end.message).find(" that was joined before") != std::string_view::npos) {
    explain_joined(failing, into);
  }
}

std::optional<Suspicion> destroyed_too_early(const NamedRun& failing) {
  const channel::RunRecord& record = failing.trace.record();
  uint32_t destroyed = kNoStep;
  if (is_used_too_late(record)) {
    destroyed = destruction(failing);
  } else if (is_destroyed_in_use(record)) {
    const auto own = failing.trace.of_thread(record.end.thread);
    if (!own.empty()) destroyed = own.back();
  }
  if (destroyed == kNoStep) return std::nullopt;
  const channel::TraceEvent& held =
      *failing.trace.steps()[failing.trace.before_locks(destroyed)].event;
  Suspicion suspicion;
  suspicion.claim = {Claim::Kind::after, held.thread, held.event, kNoThread, UINT64_MAX};
  suspicion.says.sentences.push_back(fmt::format(
      "When {} waits for the others before that, it passes.", failing.names.title(held.thread)));
  return suspicion;
}

}  // namespace jostle::report
