// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/scheduler/waits/spurious.h"

#include "src/base/hash.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/strategy/decider.h"

namespace jostle::rt {

JOSTLE_KEPT constinit Spurious g_spurious;

namespace {

constexpr uint64_t kFirstRuns = 64;
constexpr uint64_t kOneIn = 16;
// Down to one comparison of 2^7 fails.
constexpr uint64_t kRarest = 8;

// For reports: of the running thread's last event; others may have announced theirs since.
void mark_last_event() {
  channel::RunRecord& run = g_scheduler.record();
  for (uint64_t i = g_scheduler.recording() ? run.trace_count : 0; i-- > 0;) {
    if (run.trace[i].thread != g_scheduler.self().index) continue;
    run.trace[i].spurious = 1;
    return;
  }
}

}  // namespace

void Spurious::begin_run(const channel::Channel& channel, const channel::Schedule* followed,
                         const Decider* decider, uint64_t seed) {
  // A strategy that always says yes must not keep a loop from ending.
  wakes_left_ = failures_left_ = kMostSpurious;
  const Decider::Manner manner = decider ? decider->manner() : Decider::Manner{};
  const channel::SpuriousWakeups how = channel.config.spurious;
  const bool always = how == channel::SpuriousWakeups::always;
  const bool turn = number_ > kFirstRuns && combine(number_, 29) % kOneIn == 0;
  const bool in_turn =
      how == channel::SpuriousWakeups::rarely && manner.wakes_spuriously && (turn || insists_);
  asked_ = followed ? has_choice(*followed, ChoiceKind::spurious) : always || in_turn;
  judges_histories_ = always || followed;
  if (followed) {
    comparer_ = has_choice(*followed, ChoiceKind::fails) ? Comparer::asked : Comparer::nobody;
  } else if (manner.trail || (manner.chooses_stores && !manner.is_guided)) {
    comparer_ = always ? Comparer::asked : Comparer::nobody;
  } else if (manner.is_guided && how != channel::SpuriousWakeups::never) {
    comparer_ = Comparer::asked;
  } else {
    comparer_ = always || in_turn ? Comparer::drawn : Comparer::nobody;
  }
  if (comparer_ != Comparer::drawn) return;
  // One or two: of runs with few comparisons and of those with many.
  rng_.reseed(combine(seed, 0x6661696C73));
  failures_left_ = rng_.below(4) == 0 ? 2 : 1;
  one_in_ = uint64_t{1} << rng_.below(kRarest);
}

bool Spurious::wakes(Nanoseconds deadline) {
  ++g_scheduler.record().waits;
  if (deadline <= g_scheduler.now()) return false;
  if (asked_ && wakes_left_ == 0 && g_actions.active()) g_actions.assume(kFewSpurious);
  if (!asked_ || wakes_left_ == 0) return false;
  if (g_scheduler.choose(ChoiceKind::spurious, 2) == 0) return false;
  --wakes_left_;
  mark_last_event();
  return true;
}

bool Spurious::is_drawn() {
  if (failures_left_ == 0 || rng_.below(one_in_) != 0) return false;
  one_in_ = 2;  // who tries again may fail again
  return true;
}

bool Spurious::fails() {
  channel::RunRecord& run = g_scheduler.record();
  run.weak_compares = 1;
  if (comparer_ == Comparer::nobody) return false;
  // A test says what its operations may return without that.
  if (run.history.count != 0 && !judges_histories_) return false;
  if (comparer_ == Comparer::drawn) {
    const bool is_so = is_drawn();
    g_scheduler.log_store_choice(ChoiceKind::fails, 2, is_so);
    if (!is_so) return false;
  } else if (failures_left_ == 0) {
    if (g_actions.active()) g_actions.assume(kFewFailures);
    return false;
  } else if (g_scheduler.choose_store(ChoiceKind::fails, 2) == 0) {
    return false;
  }
  --failures_left_;
  g_scheduler.self().loop.changed_something();  // its next round may be another
  mark_last_event();
  return true;
}

}  // namespace jostle::rt
