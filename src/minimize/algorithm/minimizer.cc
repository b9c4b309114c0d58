// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/algorithm/minimizer.h"

#include "src/base/check.h"

namespace jostle {
namespace {

using channel::kUntilItWaits;

// The first runs of a process do not know yet which memory is shared, and may differ.
constexpr uint64_t kAttemptsAsItIs = 6;
// Random changes without success before it is given up. A schedule with one preemption has little
// to gain from them, and one without any nothing.
constexpr uint64_t kRandomAttempts = 1500;
constexpr uint64_t kFewRandomAttempts = 200;
uint64_t random_attempts(const ScheduleCost& cost) {
  const uint64_t changes = cost.of_memory + cost.preemptions + cost.choices;
  return changes > 1 ? kRandomAttempts : changes == 1 ? kFewRandomAttempts : 0;
}
// Places that are tried for the last preemption, each with every thread that could run next.
constexpr uint64_t kMostPlaces = 4000;
constexpr uint64_t kMostPreemptionsToPlace = 3;

}  // namespace

ScheduleCost cost_of(const channel::Schedule& schedule, uint64_t events) {
  ScheduleCost cost;
  for (uint32_t i = 0; i < schedule.segment_count; ++i) {
    cost.preemptions += is_preemption(schedule.segments[i]);
  }
  for (uint32_t i = 0; i < schedule.choice_count; ++i) {
    const channel::Choice& choice = schedule.choices[i];
    if (choice.picked == 0 || choice.kind == ChoiceKind::clock) continue;
    ++(is_of_memory(choice.kind) ? cost.of_memory : cost.choices);
  }
  cost.switches = schedule.segment_count;
  cost.events = events;
  return cost;
}

Minimizer::Minimizer(const channel::Schedule& failing) : cost_(cost_of(failing, UINT64_MAX)) {
  for (uint32_t i = 0; i < failing.segment_count; ++i) {
    const channel::Segment& segment = failing.segments[i];
    best_.push_back({segment.thread, is_preemption(segment), segment.until});
  }
  GuideLog::copy_choices(failing, choices_);
  rng_.reseed(1);
}

// ---- candidates -------------------------------------------------------------------------------

bool Minimizer::next_candidate() {
  while (stage_ != Stage::done) {
    if (candidate_of(stage_)) return true;
    advance();
  }
  return false;
}

void Minimizer::start_round() {
  stage_ = Stage::chunks;
  improved_ = false;
  attempt_ = at_ = 0;
  chunk_ = best_.size() / 2 + 1;
}

void Minimizer::advance() {
  attempt_ = at_ = 0;
  step_ = 1;
  switch (stage_) {
    case Stage::as_it_is:  // as often as it takes, and never again
      stage_ = reproduced_ ? Stage::shortcuts : Stage::done;
      return;
    case Stage::shortcuts:
      return start_round();
    case Stage::choices:
      // What could not be left out before may be superfluous now.
      if (improved_) return start_round();
      stage_ = Stage::random;
      return;
    case Stage::random:
      if (improved_) return start_round();
      stage_ = Stage::places;
      return;
    default:
      stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  }
}

bool Minimizer::candidate_of(Stage stage) {
  switch (stage) {
    case Stage::as_it_is:
      if (reproduced_ || attempt_++ >= kAttemptsAsItIs) return false;
      log_.clear();
      for (const Segment& segment : best_) log_.segments.push_back({segment.thread, segment.until});
      // The run ends behind the last operation that was counted.
      if (!log_.segments.empty()) log_.segments.back().until = kUntilItWaits;
      for (const GuideLog::Choice& choice : choices_) log_.choices.push_back(choice);
      return true;

    case Stage::shortcuts:
      // Nothing at all; only who runs after whom; everything with the usual choices, or with those
      // of memory.
      if (attempt_ == (cost_.of_memory != 0 ? 4 : 3)) return false;
      log_all();
      if (attempt_ < 2) {
        for (GuideLog::Segment& segment : log_.segments) segment.until = kUntilItWaits;
      }
      if (attempt_ == 0) log_.segments.clear();
      if (attempt_ < 3) log_.choices.clear();
      for (GuideLog::Choice& choice : log_.choices) {
        if (is_of_memory(choice.kind)) choice.picked = 0;
      }
      ++attempt_;
      return true;

    case Stage::chunks:
      if (at_ >= best_.size()) {
        at_ = 0;
        chunk_ /= 2;
      }
      if (chunk_ == 0 || best_.empty()) return false;
      log_without(at_, at_ + chunk_ < best_.size() ? at_ + chunk_ : best_.size());
      return true;

    case Stage::gaps: {
      at_ = preempted_from(at_);
      if (at_ == best_.size()) return false;
      JOSTLE_CHECK(best_[at_].preempted);
      log_without(at_ + 1, resumed_at(at_));
      return true;
    }

    case Stage::run_on:
      at_ = preempted_from(at_);
      if (at_ == best_.size()) return false;
      log_all();
      log_.segments[at_].until = kUntilItWaits;
      return true;

    case Stage::choices:
      while (at_ < choices_.size() && choices_[at_].picked == 0) ++at_;
      if (at_ >= choices_.size()) return false;
      log_all();
      log_.choices[at_].picked = 0;
      return true;

    case Stage::random:
      if (best_.empty() || attempt_++ >= random_attempts(cost_)) return false;
      log_all();
      for (uint64_t changes = 1 + rng_.below(3); changes > 0; --changes) change_at_random();
      return true;

    case Stage::places:
      return cost_.preemptions <= kMostPreemptionsToPlace && other_place(attempt_++);

    case Stage::later:
      at_ = preempted_from(at_);
      if (at_ == best_.size()) return false;
      log_all();
      log_.segments[at_].until = best_[at_].until + step_;
      return true;

    case Stage::done:
      break;
  }
  return false;
}

void Minimizer::log_without(size_t first, size_t last) {
  JOSTLE_CHECK(first <= last && last <= best_.size());
  log_.clear();
  for (size_t i = 0; i < best_.size(); ++i) {
    if (i >= first && i < last) continue;
    log_.segments.push_back({best_[i].thread, best_[i].preempted ? best_[i].until : kUntilItWaits});
  }
  for (const GuideLog::Choice& choice : choices_) log_.choices.push_back(choice);
  JOSTLE_CHECK_EQ(log_.segments.size() + (last - first), best_.size());
}

size_t Minimizer::preempted_from(size_t from) const {
  while (from < best_.size() && !best_[from].preempted) ++from;
  return from < best_.size() ? from : best_.size();
}

size_t Minimizer::resumed_at(size_t segment) const {
  size_t at = segment + 1;
  while (at < best_.size() && best_[at].thread != best_[segment].thread) ++at;
  return at;
}

// All before the last preemption stays. That one is put anywhere in its thread, another thread runs
// then, and the rest as it comes: a shorter way to the same failure that leaving out does not lead
// to.
bool Minimizer::other_place(uint64_t number) {
  size_t last = best_.size();
  for (size_t i = 0; i < best_.size(); ++i) {
    if (best_[i].preempted) last = i;
  }
  if (last == best_.size()) return false;
  uint64_t events = 0;
  for (const Segment& segment : best_) {
    if (segment.thread == best_[last].thread && segment.until > events) events = segment.until;
  }
  const uint64_t stride = 1 + events * threads_known_ / kMostPlaces;
  const uint64_t until = 1 + number / threads_known_ * stride;
  if (until > events) return false;
  log_without(last, best_.size());
  log_.segments.push_back({best_[last].thread, until});
  log_.segments.push_back({static_cast<uint32_t>(number % threads_known_), kUntilItWaits});
  return true;
}

void Minimizer::change_at_random() {
  if (log_.segments.empty()) return;
  const size_t at = rng_.below(log_.segments.size());
  GuideLog::Segment& segment = log_.segments[at];
  switch (rng_.below(5)) {
    case 0:
      segment.until = kUntilItWaits;
      break;
    case 1:  // earlier or later
      if (segment.until == kUntilItWaits) {
        if (at < best_.size() && best_[at].until > 1)
          segment.until = 1 + rng_.below(best_[at].until);
      } else {
        segment.until += rng_.below(16);
        segment.until -= segment.until > 16 ? rng_.below(16) : 0;
      }
      break;
    case 2:  // two change places
      if (at + 1 < log_.segments.size()) std::swap(segment, log_.segments[at + 1]);
      break;
    case 3:  // another runs instead
      segment.thread = static_cast<uint32_t>(rng_.below(threads_known_));
      segment.until = kUntilItWaits;
      break;
    default:
      for (size_t i = at; i + 1 < log_.segments.size(); ++i)
        log_.segments[i] = log_.segments[i + 1];
      log_.segments.pop_back();
  }
}

// ---- what became of them ----------------------------------------------------------------------

bool Minimizer::judge(const channel::RunRecord& run, Verdict verdict) {
  threads_known_ = run.schedule.thread_count;
  JOSTLE_CHECK(threads_known_ != 0);
  ScheduleCost cost = cost_of(run.schedule, run.events);
  bool better = verdict == Verdict::same_failure && !run.log_overflow;
  if (stage_ == Stage::as_it_is) {
    // Equal is good enough, once: from here on the numbers are those of our own run.
    better = better && cost.preemptions <= cost_.preemptions && cost.of_memory <= cost_.of_memory;
  } else if (stage_ == Stage::later) {
    cost.events = cost_.events;  // how long it takes does not matter here
    better = better && cost <= cost_;
    // Leaps as long as it fails, then smaller ones, then the next preemption.
    if (better) {
      step_ *= 2;
    } else if (step_ > 1) {
      step_ /= 2;
    } else {
      ++at_;
    }
  } else {
    better = better && cost < cost_;
  }
  if (better) {
    // Smaller, but for the first of our own and where a preemption moves to a later place.
    JOSTLE_CHECK(cost < cost_ || stage_ == Stage::as_it_is || stage_ == Stage::later);
    JOSTLE_CHECK(reproduced_ || stage_ == Stage::as_it_is);
    keep(run, cost);
  } else if (stage_ == Stage::chunks) {
    at_ += chunk_;
  } else if (stage_ == Stage::gaps || stage_ == Stage::run_on || stage_ == Stage::choices) {
    ++at_;
  }
  return better;
}

bool Minimizer::take(const channel::RunRecord& run) {
  const ScheduleCost cost = cost_of(run.schedule, run.events);
  if (!(cost < cost_) || run.log_overflow) return false;
  keep(run, cost);
  start_round();
  return true;
}

void Minimizer::keep(const channel::RunRecord& run, const ScheduleCost& cost) {
  JOSTLE_CHECK(!run.log_overflow);
  JOSTLE_CHECK_LE(run.schedule.segment_count, channel::kMaxSegments);
  const size_t preemptions_before = cost_.preemptions;
  best_.clear();
  GuideLog::copy_choices(run.schedule, choices_);
  for (uint32_t i = 0; i < run.schedule.segment_count; ++i) {
    const channel::Segment& segment = run.schedule.segments[i];
    best_.push_back({segment.thread, is_preemption(segment), segment.until});
  }
  cost_ = cost;
  reproduced_ = true;
  improved_ = true;
  neighbours_ = 0;
  neighbour_attempt_ = 0;
  if (stage_ == Stage::random) attempt_ = 0;
  // Another way, or a preemption that moved to where its thread waits anyway: there may be more
  // that is superfluous now.
  const bool fewer = cost.preemptions < preemptions_before;
  if (stage_ == Stage::places || (stage_ == Stage::later && fewer)) start_round();
}

}  // namespace jostle
