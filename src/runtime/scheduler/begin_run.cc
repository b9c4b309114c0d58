// SPDX-License-Identifier: Apache-2.0
// How a run begins: an empty record, the state of every module reset, and who decides.
#include "src/base/check.h"
#include "src/base/in_handler.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/fairness/overtaking.h"
#include "src/runtime/scheduler/run_begins.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/scheduler/waits/spurious.h"
#include "src/strategy/decider.h"
#include "src/strategy/run_roles.h"

namespace jostle::rt {
namespace {

// Most hooks are no scheduling points; a run may reach this many times more of them than steps.
constexpr uint64_t kEventsPerStep = 100;

#ifdef JOSTLE_CHECKS
// Nobody has written into the record of a run that has not done anything.
void check_empty(const channel::RunRecord& run) {
  JOSTLE_CHECK(run.end.outcome == channel::Outcome::running && run.end.message[0] == '\0');
  JOSTLE_CHECK_EQ(run.steps + run.events + run.decisions, 0);
  JOSTLE_CHECK_EQ(run.switches, 0);
  JOSTLE_CHECK_EQ(run.trace_count, 0);
  JOSTLE_CHECK_EQ(run.report_count + run.object_count + run.leak_count, 0);
  JOSTLE_CHECK_EQ(run.race_count + run.race_objects + run.callback_count, 0);
  JOSTLE_CHECK_EQ(run.draws.count + run.draws.overflow, 0);
  JOSTLE_CHECK_EQ(run.reads_from + run.new_reads_from, 0);
  JOSTLE_CHECK_EQ(run.newly_shared, 0);
  JOSTLE_CHECK_EQ(run.log_overflow, 0);
  JOSTLE_CHECK_EQ(run.schedule.segment_count + run.schedule.choice_count, 0);
  JOSTLE_CHECK_LE(run.schedule.thread_count, channel::kMaxThreads);
  for (uint32_t i = 0; i < run.schedule.thread_count; ++i) {
    JOSTLE_CHECK_EQ(run.schedule.threads[i].steps, 0);
  }
}
#endif

}  // namespace

void Scheduler::begin_run(const RunRoles& roles, uint64_t seed) {
  begin(roles, seed, channel_->config.minimize ? &channel_->input : nullptr);
}

void Scheduler::begin(const RunRoles& roles, uint64_t seed, const channel::Schedule* followed) {
  JOSTLE_CHECK(!in_handler());
  JOSTLE_CHECK_EQ(spinners_, 0);
  JOSTLE_CHECK(current_->live && is_enabled(*current_) && !current_->in_lot);
  JOSTLE_CHECK(current_->suspended == nullptr);
  overseer_ = nullptr;
  follower_.stop();
  recording_ = channel_->config.record != 0;
  points_.set(*channel_);
  filtered_ = !points_.all();
  stepping_ = roles.decider && channel_->config.mode == channel::Mode::step;
  ActionTrail* const trail = roles.decider ? roles.decider->manner().trail : nullptr;
  decides_all_ = trail != nullptr;
  any_time_outs_ = decides_all_ && channel_->config.any_time_outs;
  has_awaits_ = false;
  news_ = 0;
  standstill_planned_ = false;
  tested_ = partner_ = kNoThread;
  const bool is_serial = roles.decider && roles.decider->manner().is_serial;
  const bool no_turns = stepping_ || decides_all_ || is_serial;
  steps_ = yields_ = 0;
  fruitless_ = 0;
  watches_all_ = false;
  streak_ = fair_turn_ = turn_left_ = 0;
  patience_ = kPatience;
  next_turns_ = no_turns ? UINT64_MAX : kPatience;  // a person owes nobody a turn
  overdue_ = false;
  detached_ended_ = false;
  clock_ = 0;
  clock_reads_ = 0;
  clock_was_read_ = false;
  wants_large_steps_ = has_large_steps_ = false;
  read_times_ = {};
  current_->team = nullptr;
  current_->runs_task = false;
  next_due_ = UINT64_MAX;
  busy_ = {};
  events_of_others_ = 0;
  events_at_resume_ = current_->events;
  presumptions_ = 0;
  const channel::Config& config = channel_->config;
  step_limit_ = config.max_steps ? config.max_steps : UINT64_MAX;
  fair_from_ = decides_all_ || is_serial ? UINT64_MAX : step_limit_ / 2;
  thinning_.begin_run(seed, longest_run_, no_turns);
  g_overtaking.begin_run(config);
  if (g_overtaking.active() && fair_from_ > kUnfairSteps) fair_from_ = kUnfairSteps;
  event_limit_ = config.max_events  ? config.max_events
                 : config.max_steps ? config.max_steps * kEventsPerStep
                                    : UINT64_MAX;
  channel::RunRecord& run = record();
  run.clear();
  run.max_live_threads = live_;
  run.schedule.seed = seed;
  run.schedule.thread_count = static_cast<uint32_t>(by_index_.size());
  for (uint32_t i = 0; i < run.schedule.thread_count; ++i) run.schedule.threads[i].steps = 0;
  assign(roles);
  g_actions.begin_run(trail);
  const channel::Schedule* recorded = followed           ? followed
                                      : config.has_input ? &channel_->input
                                                         : nullptr;
  memory_ = memory_model(recorded);
  run.schedule.memory = memory_;
  g_weak.begin_run(*channel_, memory_, recorded, decider_, seed);
  if (g_actions.active() && memory_ == channel::MemoryModel::c11) {
    g_weak.active() ? g_actions.explore_stores() : g_actions.gap(TrailGap::stale);
  }
  g_races.begin_run(*channel_, *current_, recording_);
  if (decider_) {  // the threads that there are: as if they were created now
    for (const ThreadId id : by_index_) {
      if (id != kNoThread && id != current_->id && table_[id]->live)
        decider_->thread_created(0, id);
    }
  }
  run_begins(*channel_, followed);
  current_->last_ran = current_->enabled_at = 0;
  current_->yields = 0;
  watch_later(*current_);
  g_spurious.begin_run(*channel_, recorded, decider_, seed);
  watch_work();  // some may have been set before main
  look_for_the_unusual();
  arm_limits(*current_);
  JOSTLE_CHECKED(check_state());
  JOSTLE_CHECKED(check_empty(run));
}

// `recorded`: what the run follows, or its strategy begins with.
channel::MemoryModel Scheduler::memory_model(const channel::Schedule* recorded) const {
  const channel::MemoryModel wanted = channel_->config.memory;
  if (wanted != channel::MemoryModel::automatic) return wanted;
  // What runs of the campaign have recorded until something ordered threads that is not seen.
  const bool searches = channel_->config.mode == channel::Mode::fuzz && !channel_->config.minimize;
  if (searches && is_order_unseen()) return channel::MemoryModel::sequential;
  const bool is_weak =
      recorded ? recorded->memory == channel::MemoryModel::c11 : g_weak.has_met_weak_orders();
  return is_weak ? channel::MemoryModel::c11 : channel::MemoryModel::sequential;
}

void Scheduler::assign(const RunRoles& roles) {
  decider_ = roles.decider;
  names_ = roles.names;
  guided_ = decider_ && decider_->manner().is_guided;
  g_reads_from.begin_run(record(), roles.observer);
}

void Scheduler::begin_replay() {
  begin({}, channel_->input.seed, &channel_->input);
  filtered_ = false;  // the segments say where
  if (!g_reads_from.is_listing()) g_reads_from.stop();
  g_actions.begin_run(nullptr);
  // A campaign that checks itself: what it knows about shared memory is not what it was.
  if (channel_->config.mode == channel::Mode::fuzz) g_races.look_away();
  follower_.start(&channel_->input, &record().divergence);
  look_for_the_unusual();
  arm_limits(*current_);
}

void Scheduler::follow(const RunRoles& roles) {
  points_.set(*channel_);
  filtered_ = !points_.all();
  streak_ = turn_left_ = 0;
  patience_ = kPatience;
  next_turns_ = steps_ + kPatience;
  assign(roles);
  look_for_the_unusual();
  arm_limits(*current_);
}

void Scheduler::oversee(Overseer* overseer) {
  overseer_ = overseer;
  guided_ = names_ = true;
  look_for_the_unusual();
}

void Scheduler::go_on_unsearched() {
  overseer_ = nullptr;
  follower_.stop();
  recording_ = stepping_ = decides_all_ = any_time_outs_ = filtered_ = false;
  standstill_planned_ = false;
  tested_ = partner_ = kNoThread;
  step_limit_ = event_limit_ = fair_from_ = UINT64_MAX;
  patience_ = kPatience;
  next_turns_ = steps_ + kPatience;
  current_->unread_value = nullptr;  // it is in the record of the run
  assign({});
  g_reads_from.stop();
  g_actions.begin_run(nullptr);
  memory_ = channel::MemoryModel::sequential;
  g_weak.begin_run(*channel_, memory_, nullptr, nullptr, 0);
  g_spurious.begin_run(*channel_, nullptr, nullptr, 0);
  look_for_the_unusual();
  arm_limits(*current_);
}

void Scheduler::let_decide(Decider* decider, Observer* observer) {
  decider_ = decider;
  g_reads_from.show_to(observer);
  look_for_the_unusual();
}

}  // namespace jostle::rt
