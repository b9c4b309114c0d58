// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/work_share.h"

#include "src/strategy/dpor/work/noted_locks.h"

namespace jostle::dpor {

WorkShare::Locked::Locked(WorkShare* share) : share_(share) {
  share_->board_->lock.lock(share_->worker_);
  // Runs so far were not seen as others see them.
  if (!share_->tree_.follow() && !share_->is_outdated()) share_->clear_board();
}
WorkShare::Locked::~Locked() {
  share_->update_share();
  share_->board_->lock.unlock();
}

void WorkShare::join(SearchBoard* board, uint32_t worker) {
  board_ = board;
  worker_ = worker;
  board_->lock.release_of(worker);
  set_busy(false);
  epoch_ = board_->epoch.load();
  tree_.join(board);
  // Another process that had this number has taken its work with it.
  if (board_->has_begun[worker].exchange(1) != 0) begin_anew();
}

void WorkShare::set_idle(bool idle) {
  if (idle == is_idle_) return;
  is_idle_ = idle;
  board_->idle.fetch_add(idle ? 1 : UINT32_MAX);
}

void WorkShare::set_busy(bool busy) {
  has_work_ = busy;
  board_->progress[worker_].is_busy = busy;
}

// If nobody does anything, it always is.
bool WorkShare::is_worth_it() const {
  if (penalty_ == 0 || progress().explored >= not_before_) return true;
  for (const SearchBoard::Progress& each : board_->progress) {
    if (each.is_busy != 0) return false;
  }
  return true;
}

// REQUIRES: locked.
void WorkShare::update_share() {
  if (tree_.copy().is_finished()) board_->finished = 1;
  // All of the tree has to be looked at: not after every operation.
  constexpr uint64_t kMany = 64;
  const uint64_t version = tree_.version();
  if (version > kMany && version - shared_at_ < kMany) return;
  shared_at_ = version;
  board_->share_done = tree_.copy().share_done();
}

bool WorkShare::has_work() {
  if (is_outdated()) follow_others();
  if (has_work_) return true;
  if (is_finished() || board_->is_broken.load() != 0) return false;
  if (board_->is_alone.load() != 0 && worker_ != 0) return false;
  if (board_->version.load() == tried_ || !is_worth_it()) return false;
  const Locked locked(this);
  if (is_outdated()) return false;
  if (!tree_.claim(work_)) {
    tried_ = tree_.version();
    set_idle(true);
    return false;
  }
  set_idle(false);
  search_->begin_work(work_);
  is_settled_ = work_.ticket == kWholeSearch;
  set_busy(true);
  return true;
}

void WorkShare::after_run(bool has_more) {
  send_elsewhere();
  if (!is_settled_ || !has_more) {
    const Locked locked(this);
    if (is_outdated()) return;
    Step step;
    const bool was_taken = is_settled_ || search_->first_step(&step);
    if (!is_settled_ && was_taken && !tree_.settle(work_.ticket, step)) {
      // It does something else than was expected, on which the division of work relied.
      board_->is_alone = 1;
      clear_board();
      return;
    }
    is_settled_ = was_taken;
    if (!has_more && was_taken) tree_.finish(work_.ticket);
    if (!has_more && !was_taken) tree_.drop(work_.ticket);
    if (!has_more) {
      constexpr uint64_t kSmall = 16, kMostPenalty = 1 << 8;
      const bool is_small = search_->runs_of_work() < kSmall;
      penalty_ = !is_small ? 0 : penalty_ == 0 ? kSmall : penalty_ * 2;
      if (penalty_ > kMostPenalty) penalty_ = kMostPenalty;
      not_before_ = progress().explored + penalty_;
      set_busy(false);
    }
  }
  if (has_more && board_->idle.load() != 0) share_work();
}

// All of them are zero when the epoch is new: what was noted in an older one does not count.
SearchBoard::Progress& WorkShare::own_progress() {
  SearchBoard::Progress& own = board_->progress[worker_];
  if (own.epoch.load() != epoch_) {
    own.deadlocks = own.redundant = 0;
    own.explored = own.blocked = own.assumptions = own.gap = own.gap_pc = 0;
    own.epoch = epoch_;
  }
  return own;
}

channel::Exploration WorkShare::progress() const {
  channel::Exploration sum;
  uint64_t noted = 0;
  const uint32_t epoch = board_->epoch.load();
  for (const SearchBoard::Progress& each : board_->progress) {
    if (each.epoch.load() != epoch) continue;
    sum.explored += each.explored;
    sum.blocked += each.blocked;
    sum.deadlocks += each.deadlocks;
    sum.redundant += each.redundant;
    noted |= each.assumptions;
    if (sum.gap != TrailGap::none || each.gap == 0) continue;
    sum.gap = static_cast<TrailGap>(each.gap.load());
    sum.gap_pc = each.gap_pc;
  }
  if (locks_are_a_gap(noted) && sum.gap == TrailGap::none) sum.gap = TrailGap::spinning;
  sum.assumptions = static_cast<uint32_t>(noted);
  sum.is_reduced = 1;
  const double share = board_->share_done;
  const auto explored = static_cast<double>(sum.explored);
  sum.estimate = share > 0 ? static_cast<uint64_t>(explored / share) : sum.explored;
  if (sum.estimate < sum.explored) sum.estimate = sum.explored;
  sum.unexplored = sum.estimate > sum.explored ? sum.estimate - sum.explored : 1;
  if (board_->is_broken != 0 && sum.gap == TrailGap::none) sum.gap = TrailGap::too_long;
  if (board_->finished == 0 && board_->is_broken == 0) return sum;
  sum.finished = 1;
  sum.unexplored = 0;
  sum.estimate = sum.explored;
  sum.everything = sum.gap == TrailGap::none;
  return sum;
}

void WorkShare::note_run(bool is_blocked, bool is_deadlock, uint32_t assumptions) {
  SearchBoard::Progress& own = own_progress();
  own.explored.fetch_add(1);
  own.blocked.fetch_add(is_blocked);
  own.deadlocks.fetch_add(is_deadlock);
  own.assumptions.fetch_or(assumptions);
}

void WorkShare::note_locks(bool leaves_out, bool fails) {
  own_progress().assumptions.fetch_or(noted_locks(leaves_out, fails));
}

void WorkShare::note_gap(TrailGap gap, uintptr_t pc) {
  SearchBoard::Progress& own = own_progress();
  if (own.gap != 0) return;
  own.gap_pc = pc;
  own.gap = static_cast<uint32_t>(gap);
}

// Reversals that begin at states which others share.
void WorkShare::send_elsewhere() {
  for (const ReducedSearch::Elsewhere& each : search_->elsewhere()) {
    const Step* sequence = search_->steps_elsewhere().begin() + each.first;
    if (tree_.copy().covers(work_.ticket, each.depth, sequence, each.count)) continue;
    const Locked locked(this);
    if (is_outdated()) return;
    tree_.insert(work_.ticket, each.depth, sequence, each.count);
  }
}

void WorkShare::share_work() {
  uint32_t states =
      board_->is_alone.load() != 0 ? 0 : search_->states_to_share(tree_.copy().most_steps());
  if (states == 0) return;
  const Locked locked(this);
  if (is_outdated() || tree_.copy().has_work()) return;
  for (; states > 0; --states) {
    search_->hand_over_first(state_);
    work_.ticket = tree_.publish(work_.ticket, state_);
  }
}

void WorkShare::follow_others() {
  search_->restart();
  tried_ = UINT64_MAX;
  penalty_ = 0;
  set_busy(false);
  const Locked locked(this);
  epoch_ = board_->epoch.load();
}

// REQUIRES: locked.
void WorkShare::clear_board() {
  board_->share_done = 0;
  board_->finished = 0;
  board_->epoch.fetch_add(1);
  tree_.clear();
}

void WorkShare::begin_anew() {
  {
    const Locked locked(this);
    clear_board();
  }
  follow_others();
}

bool WorkShare::repeat_work() {
  if (!has_work_ || search_->runs_of_work() != 0) return false;
  search_->begin_work(work_);
  return true;
}

}  // namespace jostle::dpor
