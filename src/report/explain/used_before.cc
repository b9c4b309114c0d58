// SPDX-License-Identifier: Apache-2.0
// Pipes, sockets, files, the working directory have no values that a trace knows: who used one
// before the failing thread did is all that shows, and whether it passes otherwise is for a run to
// say.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "src/report/explain/explain.h"
#include "src/report/explain/same_operation.h"
#include "src/report/explain/sentence.h"
#include "src/report/words/record_view.h"
#include "src/schedule/shared_state.h"

namespace jostle::report {
namespace {

constexpr size_t kMostUses = 2;         // of the failing thread, and of others before each
constexpr size_t kStepsOfFailing = 64;  // steps of the failing thread

bool is_of_state(const channel::TraceEvent& event) {
  return event.kind == OpKind::state_read || event.kind == OpKind::state_write;
}

bool uses_descriptor(const channel::TraceEvent& event) {
  return event.kind == OpKind::io_read || event.kind == OpKind::io_write;
}

bool is_seen_by_all(const channel::TraceEvent& event) {
  return uses_descriptor(event) || is_of_state(event);
}

bool is_name_in_folder(const channel::TraceEvent& a, const channel::TraceEvent& b) {
  return a.object == static_cast<uintptr_t>(SharedState::file_names) &&
         b.object == static_cast<uintptr_t>(SharedState::working_directory);
}

bool may_be_same(const channel::TraceEvent& a, const channel::TraceEvent& b) {
  if (is_of_state(a) || is_of_state(b)) {
    return a.object == b.object || is_name_in_folder(a, b) || is_name_in_folder(b, a);
  }
  return a.object == b.object || a.object == 0 || b.object == 0;  // a closed one has no name
}

// Neither finds anything else when it comes first.
bool are_independent(const channel::TraceEvent& first, const channel::TraceEvent& last) {
  if (is_of_state(first)) {
    return first.kind == OpKind::state_read && last.kind == OpKind::state_read;
  }
  return first.kind == OpKind::io_read && last.kind == OpKind::io_write;
}

class Uses {
 public:
  explicit Uses(const NamedRun& failing)
      : run_(failing), trace_(failing.trace), steps_(failing.trace.steps()), say_(failing) {}

  std::vector<Suspicion> before(uint32_t last) {
    std::vector<Suspicion> result;
    for (uint32_t i = last; i-- > 0 && result.size() < kMostUses;) {
      if (!is_of_another(i, last) || !is_own(run_, i)) continue;
      if (are_independent(*steps_[i].event, *steps_[last].event)) continue;
      if (std::optional<Suspicion> torn = torn_apart(i)) result.push_back(std::move(*torn));
      result.push_back(earlier(i, last));
    }
    return result;
  }

 private:
  bool is_of_another(uint32_t i, uint32_t last) const {
    return is_seen_by_all(*steps_[i].event) &&
           steps_[i].event->thread != steps_[last].event->thread &&
           may_be_same(*steps_[i].event, *steps_[last].event);
  }
  std::string clause(uint32_t i) {
    return fmt::format("{} {} {}", say_.who(i), say_.did(steps_[i]), say_.place(steps_[i]));
  }

  Suspicion earlier(uint32_t first, uint32_t last) {
    const channel::TraceEvent &held = *steps_[trace_.before_locks(first)].event,
                              &done = *steps_[last].event;
    Suspicion suspicion;
    suspicion.claim = {Claim::Kind::after, held.thread, held.event, done.thread, done.event};
    suspicion.held = operation_of(run_, first);
    suspicion.first = operation_of(run_, last);
    // What is closed here it finds open in the other run.
    if (done.object == 0) suspicion.first.object = steps_[first].event->object;
    suspicion.times = times_before(run_, suspicion.first, first);
    suspicion.says.steps = {first, last};
    suspicion.says.sentences = {fmt::format(
        "{} before {}. With the two the other way round it passes.", clause(first), clause(last))};
    return suspicion;
  }

  // Did it come between two uses of a third thread, which was kept from the second?
  std::optional<Suspicion> torn_apart(uint32_t between) {
    const channel::TraceEvent& event = *steps_[between].event;
    if (event.kind != OpKind::io_write || event.size != 0) return std::nullopt;
    for (uint32_t i = between; i-- > 0;) {
      const channel::TraceEvent& first = *steps_[i].event;
      if (first.kind != OpKind::io_write || first.object != event.object) continue;
      if (first.thread == event.thread) continue;
      const channel::TraceEvent* const second = next_use(first);
      if (!second || second->kind != OpKind::io_write || !was_kept(*second, between)) continue;
      Suspicion suspicion;
      suspicion.claim = {Claim::Kind::through, first.thread, first.event, first.thread,
                         second->event};
      suspicion.first = operation_of(run_, i);
      suspicion.held = {trace_.path(second->thread),          second->event,  second->kind,
                        run_.symbols.location_of(second->pc), second->object, second->size};
      suspicion.says.steps = {i, between};
      const bool came = was_done(*second);
      suspicion.says.sentences = {
          fmt::format("{} between {}'s {} {} and {}{} {}{}. Without that in between it passes.",
                      clause(between), say_.who(i), say_.verb(steps_[i]), say_.place(steps_[i]),
                      came ? "" : "the ", say_.verb(steps_[i]), say_.place(second->pc),
                      came ? "" : " that was to follow")};
      return suspicion;
    }
    return std::nullopt;
  }

  // What its thread did to the same next, or was about to do when the run ended.
  const channel::TraceEvent* next_use(const channel::TraceEvent& first) const {
    const auto all = trace(trace_.record());
    for (const channel::TraceEvent* event = &first + 1; event < all.data() + all.size(); ++event) {
      if (event->thread != first.thread || !uses_descriptor(*event)) continue;
      return event->object == first.object ? event : nullptr;
    }
    return nullptr;
  }

  bool was_done(const channel::TraceEvent& event) const {
    return std::ranges::any_of(trace_.of_thread(event.thread),
                               [&](uint32_t i) { return steps_[i].event->event == event.event; });
  }

  // It had not been done yet at this step.
  bool was_kept(const channel::TraceEvent& second, uint32_t at) const {
    for (const uint32_t i : trace_.of_thread(second.thread)) {
      if (steps_[i].event->event == second.event) return i > at;
    }
    return true;  // it never was
  }

  const NamedRun& run_;
  const RunTrace& trace_;
  std::span<const Step> steps_;
  Sentence say_;
};

}  // namespace

std::vector<Suspicion> used_before(const NamedRun& failing) {
  std::vector<Suspicion> result;
  const channel::Failure& end = failing.trace.record().end;
  if (end.outcome == channel::Outcome::deadlock || failing.trace.empty()) return result;
  const auto own = failing.trace.of_thread(end.thread);
  Uses uses(failing);
  size_t found = 0;
  for (size_t i = own.size(), tried = 0; i-- > 0 && tried < kStepsOfFailing && found < kMostUses;
       ++tried) {
    const channel::TraceEvent& event = *failing.trace.steps()[own[i]].event;
    if (!is_seen_by_all(event) || !is_own(failing, own[i])) continue;
    ++found;
    for (Suspicion& each : uses.before(own[i])) result.push_back(std::move(each));
  }
  return result;
}

}  // namespace jostle::report
