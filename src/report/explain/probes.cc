// SPDX-License-Identifier: Apache-2.0
// Reads that may have come too early, and what they would have seen later.
#include <algorithm>

#include "src/report/explain/cause_text.h"
#include "src/report/explain/explain.h"
#include "src/report/explain/same_operation.h"
#include "src/report/text/race_text.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// Has the thread of this step, shortly before it, read what the other one wrote?
bool has_seen(const NamedRun& run, uint32_t step, uint64_t path) {
  constexpr int kNearby = 16;
  const auto steps = run.trace.steps();
  const auto own = run.trace.of_thread(steps[step].event->thread);
  int tried = 0;
  for (auto i = std::ranges::lower_bound(own, step); i != own.begin() && tried < kNearby; ++tried) {
    const Step& earlier = steps[*--i];
    if (!is_memory(earlier.event->kind) || earlier.source == kInitially) continue;
    if (run.trace.path(steps[earlier.source].event->thread) == path) return true;
  }
  return false;
}

// What others send may not have been there yet.
bool is_input(const Step& step) {
  return step.event->kind == OpKind::io_wait || step.event->kind == OpKind::io_read;
}

// The race that the run ended with; null: with something else.
const channel::RaceRecord* race_at_end(const RunTrace& trace) {
  const channel::RunRecord& record = trace.record();
  const bool is_race = record.end.outcome == channel::Outcome::race && !races(record).empty();
  return is_race ? &races(record).back() : nullptr;
}

// Who else than this thread is part of the race that the run ended with: its path; 0: it is none.
uint64_t partner_in_race(const RunTrace& trace, uint32_t thread) {
  const channel::RaceRecord* race = race_at_end(trace);
  if (race == nullptr) return 0;
  return trace.path(race->earlier.thread == thread ? race->later.thread : race->earlier.thread);
}

// The read that raced with what the failing thread did; kNoStep: it was none.
uint32_t read_in_race(const NamedRun& failing) {
  const channel::RaceRecord* race = race_at_end(failing.trace);
  if (race == nullptr || race->earlier.writes || race->earlier.frees) return kNoStep;
  const auto steps = failing.trace.of_thread(race->earlier.thread);
  for (size_t i = steps.size(); i-- > 0;) {
    const Step& step = failing.trace.steps()[steps[i]];
    if (step.event->object == race->address && step_observes(step)) return steps[i];
  }
  return kNoStep;
}

}  // namespace

std::vector<Probe> probes_behind(const NamedRun& failing) {
  constexpr size_t kMost = 4;           // each is a run
  constexpr size_t kFarEnough = 64;     // steps
  constexpr size_t kReadsOfFailed = 3;  // whose origin is asked for
  std::vector<Probe> result;
  const channel::Failure& end = failing.trace.record().end;
  if (end.outcome == channel::Outcome::deadlock) return result;
  const auto steps = failing.trace.steps();
  const auto is_read = [&](uint32_t i) {
    return is_data(steps[i].event->kind) && step_observes(steps[i]) && is_own(failing, i);
  };
  const auto failed = failing.trace.of_thread(end.thread);
  size_t asked = 0;
  for (size_t i = failed.size(), far = 0; i-- > 0 && far < kFarEnough && asked < kReadsOfFailed;
       ++far) {
    const uint32_t source = steps[failed[i]].source;
    if (!is_read(failed[i]) || source == kInitially) continue;
    const uint32_t thread = steps[source].event->thread;
    if (thread == end.thread || !is_own(failing, source)) continue;
    ++asked;
    const auto writer = failing.trace.of_thread(thread);
    auto before = static_cast<size_t>(std::ranges::lower_bound(writer, source) - writer.begin());
    for (size_t tried = 0; before-- > 0 && tried < kFarEnough && result.size() < kMost; ++tried) {
      if (!is_read(writer[before])) continue;
      const Step& held = steps[failing.trace.before_locks(writer[before])];
      const Probe probe{writer[before],
                        {Claim::Kind::after, thread, held.event->event, kNoThread, UINT64_MAX}};
      const bool known = std::ranges::find(result, probe.read, &Probe::read) != result.end();
      if (!known) result.push_back(probe);
    }
  }
  return result;
}

std::vector<Probe> probes(const NamedRun& failing) {
  constexpr size_t kMostReads = 5, kMostInputs = 2;
  constexpr size_t kFarEnough = 64;
  std::vector<Probe> result;
  size_t reads = 0, inputs = 0;
  const channel::Failure& end = failing.trace.record().end;
  if (end.outcome == channel::Outcome::deadlock) return result;
  if (const uint32_t read = read_in_race(failing); read != kNoStep) {
    const channel::TraceEvent& held =
        *failing.trace.steps()[failing.trace.before_locks(read)].event;
    result.push_back({read, {Claim::Kind::after, held.thread, held.event, kNoThread, UINT64_MAX}});
  }
  const auto own = failing.trace.of_thread(end.thread);
  for (size_t i = own.size(), tried = 0; i-- > 0 && tried < kFarEnough; ++tried) {
    const Step& read = failing.trace.steps()[own[i]];
    // Others may not have come to it in this run: whether it is shared does not show here.
    if (!is_input(read) && !(is_data(read.event->kind) && step_observes(read))) continue;
    const bool known = std::ranges::any_of(result, [&](const Probe& other) {
      const Step& step = failing.trace.steps()[other.read];
      return is_input(step) == is_input(read) &&
             (is_input(step) ? step.event->pc == read.event->pc
                             : same_place(*step.event, *read.event));
    });
    if (known || (is_input(read) ? inputs++ >= kMostInputs : reads++ >= kMostReads)) continue;
    const Step& held = failing.trace.steps()[failing.trace.before_locks(own[i])];
    result.push_back(
        {own[i], {Claim::Kind::after, end.thread, held.event->event, kNoThread, UINT64_MAX}});
  }
  return result;
}

std::vector<Suspicion> missed_writes(const NamedRun& failing, const Probe& probe,
                                     const NamedRun& trial) {
  if (trial.trace.empty()) return {};
  const Step& read = failing.trace.steps()[probe.read];
  const RunDifference difference(failing, trial);
  const uint32_t held = find_exactly(trial, operation_of(failing, probe.read));
  if (held == kNoStep) return {};
  const uint64_t partner = partner_in_race(failing.trace, read.event->thread);
  uint32_t half_seen = kNoStep, first = kNoStep, last = kNoStep;
  for (uint32_t i = held; i-- > 0;) {
    const Step& write = trial.trace.steps()[i];
    const bool is_sent = is_input(read) && write.event->kind == OpKind::io_write;
    const bool is_written =
        step_changes(write) && is_data(write.event->kind) && same_place(*write.event, *read.event);
    const bool own = write.event->thread == trial.trace.steps()[held].event->thread;
    if (own || (!is_sent && !is_written)) continue;
    // It has come in the failing run, too.
    if (find_same(failing, operation_of(trial, i)) < probe.read) {
      if (is_sent) continue;
      break;
    }
    if (is_written) first = i;
    if (last == kNoStep) last = i;
    const uint64_t writer = trial.trace.path(write.event->thread);
    if (writer == partner || has_seen(failing, probe.read, writer)) {
      half_seen = i;
      break;
    }
  }
  // Of several the one of whom the reader has seen half already, or with whom it races. Otherwise
  // the first: if it is enough to wait for that, what others do later is not why.
  std::vector<Suspicion> result;
  const auto suspect = [&](uint32_t missed) {
    if (missed == kNoStep) return;
    const uint32_t here = find_same(failing, operation_of(trial, missed));
    result.push_back(suspicion_of({Cause::Kind::too_early, probe.read, here, missed}, failing,
                                  trial, difference));
  };
  if (half_seen != kNoStep) {
    suspect(half_seen);
    return result;
  }
  if (first != last) suspect(first);
  suspect(last);
  return result;
}

bool is_about_race(const Suspicion& suspicion, const NamedRun& failing) {
  const channel::RaceRecord* race = race_at_end(failing.trace);
  if (race == nullptr) return true;
  const auto takes_part = [&](const Suspicion::Operation& operation) {
    return operation.path == failing.trace.path(race->earlier.thread) ||
           operation.path == failing.trace.path(race->later.thread);
  };
  return takes_part(suspicion.held) && takes_part(suspicion.first);
}

}  // namespace jostle::report
