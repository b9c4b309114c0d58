// SPDX-License-Identifier: Apache-2.0
// A recording decides who goes on.
#include "src/base/check.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/scheduler/fairness/overtaking.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// Null: it has come to its end.
Thread* Scheduler::follow_recording() {
  // In the middle of its segment nobody else could run either, or they only went round and round:
  // its own time-out, or the outside.
  while (!is_enabled(*current_) && (enabled_.count() == 0 || current_->timed_wait) &&
         current_->events < follower_.stop_for(*current_)) {
    if (!make_someone_enabled()) break;
  }
  const bool time_passes = follower_.time_passes_at(*current_);
  if (follower_.goes_on(*current_, is_enabled(*current_))) {
    if (g_overtaking.active()) g_overtaking.executes(*this, *current_);
    return current_;
  }
  if (time_passes) pass_time_to_timer();
  const uint32_t index = follower_.next_thread();
  if (index == UINT32_MAX) end_as_recorded();
  while (index != UINT32_MAX) {
    // A timer may be what starts it.
    if (index >= by_index_.size() && make_someone_enabled()) continue;
    const ThreadId id = index < by_index_.size() ? by_index_[index] : kNoThread;
    if (id == kNoThread) follower_.diverge(*current_, "the thread that runs next does not exist");
    JOSTLE_CHECK_EQ(table_[id]->index, index);
    if (is_enabled(*table_[id])) {
      ++steps_;
      if (g_overtaking.active()) g_overtaking.executes(*this, *table_[id]);
      return table_[id];
    }
    if (!make_someone_enabled()) {
      if (enabled_.count() == 0) report_deadlock();
      follower_.diverge(*table_[id], "the thread that runs next has to wait");
    }
  }
  return nullptr;
}

// The log is at its end and the run is not. Limits strike where they struck; every other end has to
// come by itself.
void Scheduler::end_as_recorded() {
  const auto expected = static_cast<channel::Outcome>(channel_->config.expected_end);
  if (expected == channel::Outcome::step_limit) {
    end_run(expected, kTooManySteps);
  }
  if (expected == channel::Outcome::livelock && g_overtaking.active()) {
    if (const Thread* starved = g_overtaking.most_overtaken(*this)) {
      fail_starved(*starved);
    }
  }
  if (expected == channel::Outcome::livelock) {
    end_run(expected, kNothingChanges);
  }
}

}  // namespace jostle::rt
