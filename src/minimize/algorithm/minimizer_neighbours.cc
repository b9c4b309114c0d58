// SPDX-License-Identifier: Apache-2.0
// Neighbours of the smallest failing schedule: the smallest changes that may let it pass. What such
// a run does differently is what the failure hangs on, so that the changes come in groups of one
// idea each, a small one first; when it passes, the next idea is next.
#include "src/minimize/algorithm/minimizer.h"

namespace jostle {
namespace {

using channel::kUntilItWaits;
// A preemption moves by 1, 2, 4, … events.
constexpr uint64_t kLeaps = 6;
// Of long schedules only the end is varied.
constexpr size_t kMostSegments = 100;
constexpr size_t kMostChoices = 200;
constexpr uint64_t kRandomNeighbours = 400;

}  // namespace

bool Minimizer::next_neighbour() {
  stage_ = Stage::done;
  const size_t segments = best_.size() < kMostSegments ? best_.size() : kMostSegments;
  const size_t choices = choices_.size() < kMostChoices ? choices_.size() : kMostChoices;
  const size_t groups = 4 * segments + choices + 1;
  while (neighbours_ < groups) {
    if (make_neighbour(neighbours_, neighbour_attempt_++)) {
      add_tail();
      return true;
    }
    ++neighbours_;
    neighbour_attempt_ = 0;
  }
  return false;
}

void Minimizer::neighbour_passed() {
  const size_t segments = best_.size() < kMostSegments ? best_.size() : kMostSegments;
  const size_t choices = choices_.size() < kMostChoices ? choices_.size() : kMostChoices;
  if (neighbours_ == 4 * segments + choices) return;  // anything: it goes on
  ++neighbours_;
  neighbour_attempt_ = 0;
}

// Whatever is varied, what comes last comes first.
bool Minimizer::make_neighbour(size_t group, uint64_t attempt) {
  const size_t count = best_.size() < kMostSegments ? best_.size() : kMostSegments;
  const size_t choices = choices_.size() < kMostChoices ? choices_.size() : kMostChoices;
  log_all();
  if (group < count) {  // a preemption a little later, or not at all
    const size_t at = best_.size() - 1 - group;
    if (!best_[at].preempted || attempt > kLeaps) return false;
    log_.segments[at].until =
        attempt == kLeaps ? kUntilItWaits : best_[at].until + (uint64_t{1} << attempt);
    return true;
  }
  group -= count;
  if (group < count) {  // a preemption a little earlier
    const size_t at = best_.size() - 1 - group;
    const uint64_t leap = uint64_t{1} << attempt;
    if (!best_[at].preempted || attempt >= kLeaps || best_[at].until <= leap) return false;
    log_.segments[at].until = best_[at].until - leap;
    return true;
  }
  group -= count;
  if (group < choices) {  // another choice
    uint32_t& choice = log_.choices[choices_.size() - 1 - group].picked;
    if (attempt == (choice == 0 ? 1 : 2)) return false;
    choice = attempt == 0 && choice != 0 ? 0 : choice + 1;
    return true;
  }
  group -= choices;
  if (group < count) {  // two threads change places
    const size_t at = best_.size() - 1 - group;
    if (attempt != 0 || at == 0 || best_[at].thread == best_[at - 1].thread) return false;
    std::swap(log_.segments[at], log_.segments[at - 1]);
    return true;
  }
  group -= count;
  if (group < count) {  // one does not run then
    const size_t at = best_.size() - 1 - group;
    if (attempt != 0) return false;
    log_without(at, at + 1);
    return true;
  }
  if (attempt >= kRandomNeighbours) return false;
  for (uint64_t changes = 1 + rng_.below(3); changes > 0; --changes) change_at_random();
  if (!log_.choices.empty() && rng_.below(2) == 0) {
    log_.choices[rng_.below(log_.choices.size())].picked += 1;
  }
  return true;
}

// The failing run ends with its log, the neighbour goes on: first those who were held back, then
// who failed, so that the others, who have nothing to do with it, do not come between.
void Minimizer::add_tail() {
  if (best_.empty()) return;
  const uint32_t last = best_[best_.size() - 1].thread;
  size_t added = 0;
  for (size_t i = best_.size(); i-- > 0 && added < kMostSegments;) {
    if (!best_[i].preempted || best_[i].thread == last) continue;
    log_.segments.push_back({best_[i].thread, kUntilItWaits});
    log_.segments.push_back({last, kUntilItWaits});
    ++added;
  }
}

}  // namespace jostle
