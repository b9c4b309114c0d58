// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/explain.h"

#include <algorithm>
#include <optional>

#include "src/report/explain/cause_text.h"
#include "src/report/explain/same_operation.h"
#include "src/report/model/run_callbacks.h"

namespace jostle::report {

std::string Explanation::text() const {
  std::string text;
  for (std::string sentence : sentences) {
    if (sentence.starts_with("the ")) sentence[0] = 'T';
    text += (text.empty() ? "" : " ") + sentence;
  }
  return text;
}

namespace {

// What comes first: that two accesses of a thread were torn apart, if they were; then what the
// failing thread saw last; then where that leads back to.
std::vector<Cause> causes_of(const NamedRun& failing, const RunDifference& difference) {
  std::vector<Cause> causes = interruptions(failing.trace);
  const auto add = [&](const Cause& cause) {
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
  };
  for (const Cause& cause : difference.nearest_causes()) add(cause);
  for (const Cause& cause : lock_interruptions(failing.trace)) add(cause);
  if (const std::optional<Cause> cause = difference.cause()) add(*cause);
  for (const Cause& cause : early_interruptions(failing.trace)) add(cause);
  return causes;
}

}  // namespace

std::vector<Suspicion> suspicions(const NamedRun& failing, const NamedRun& passing) {
  std::vector<Suspicion> result;
  if (failing.trace.empty() || passing.trace.empty()) return result;
  const RunDifference difference(failing, passing);
  for (const Cause& cause : causes_of(failing, difference)) {
    result.push_back(suspicion_of(cause, failing, passing, difference));
    result.back().says.distance = difference.distance();
  }
  return result;
}

Explanation explain_difference(const NamedRun& failing, const NamedRun& passing, bool tried) {
  Explanation result;
  if (failing.trace.empty() || passing.trace.empty()) return result;
  const RunDifference difference(failing, passing);
  if (const std::optional<Cause> cause = difference.cause()) {
    result = suspicion_of(*cause, failing, passing, difference, tried).says;
  }
  result.distance = difference.distance();
  if (result.sentences.size() > 1) return result;
  const std::string order =
      callback_difference(callbacks_of(failing.trace.record(), failing.symbols),
                          callbacks_of(passing.trace.record(), passing.symbols));
  if (!order.empty()) result.sentences.insert(result.sentences.begin(), order);
  return result;
}

Claim wait_for_all(const Claim& claim) {
  return {Claim::Kind::after, claim.thread, claim.event, kNoThread, UINT64_MAX};
}

bool bears_out(const Suspicion& suspicion, const NamedRun& trial) {
  if (trial.trace.empty()) return false;
  if (suspicion.first.kind == OpKind::none) return true;
  const uint32_t held = find_exactly(trial, suspicion.held);
  if (suspicion.claim.kind == Claim::Kind::after) {
    // Once more than in the failing run: it may have been done before in a loop.
    return times_before(trial, suspicion.first, held) > suspicion.times;
  }
  const uint32_t first = find_exactly(trial, suspicion.first);
  if (first == kNoStep) return false;
  const auto steps = trial.trace.steps();
  const auto end = held == kNoStep ? static_cast<uint32_t>(steps.size()) : held;
  for (uint32_t i = first + 1; i < end; ++i) {
    const bool own = steps[i].event->thread == steps[first].event->thread;
    const bool at_last = step_changes(steps[i]) && touches(*steps[i].event, suspicion.held);
    if (!own && (at_last || conflict(steps[i], steps[first]))) return false;
  }
  return true;
}

namespace {

// What the library keeps for itself: how many share what a shared_ptr points to, or who has come to
// a barrier.
bool is_count_of_library(const NamedRun& run, uint32_t step) {
  const std::string name = run.names.object(run.trace.steps()[step].event->object);
  return name.find(".use_count") != std::string::npos ||
         name.find(".weak_count") != std::string::npos || name.starts_with("barrier state") ||
         name.starts_with("stop state");
}

}  // namespace

bool is_of_own_code(const Suspicion& suspicion, const NamedRun& failing) {
  return std::ranges::all_of(suspicion.says.steps, [&](uint32_t i) {
    return is_own(failing, i) && !is_count_of_library(failing, i);
  });
}

Explanation explain_both(Explanation end, const Explanation& difference) {
  end.sentences.insert(end.sentences.end(), difference.sentences.begin(),
                       difference.sentences.end());
  end.steps.insert(end.steps.end(), difference.steps.begin(), difference.steps.end());
  end.passes_with = difference.passes_with;
  return end;
}

}  // namespace jostle::report
