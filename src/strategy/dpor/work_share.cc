// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work_share.h"

namespace jostle::dpor {

WorkShare::Locked::Locked(WorkShare* share) : share_(share) {
  share_->board_->lock.lock(share_->worker_);
  share_->refresh();
}
WorkShare::Locked::~Locked() { share_->board_->lock.unlock(); }

void WorkShare::join(SearchBoard* board, uint32_t worker) {
  board_ = board;
  worker_ = worker;
  board_->lock.release_of(worker);
  epoch_ = board_->epoch.load();
  version_ = board_->version.load() == 0 ? 0 : UINT64_MAX;
  // Another process that had this number has taken its work with it.
  if (board_->has_begun[worker].exchange(1) != 0) begin_anew();
}

void WorkShare::set_idle(bool idle) {
  if (idle == is_idle_) return;
  is_idle_ = idle;
  board_->idle.fetch_add(idle ? 1 : UINT32_MAX);
}

void WorkShare::refresh() {
  const uint64_t version = board_->version.load();
  if (version == version_) return;
  version_ = version;
  ByteReader reader(board_->bytes[version % 2], board_->sizes[version % 2]);
  const bool is_good = !knowledge_ || knowledge_->read(reader);
  if (!is_good || !tree_.read(reader, *threads_)) board_->is_broken = 1;
}

void WorkShare::commit() {
  writer_.clear();
  if (knowledge_) knowledge_->write(writer_);
  tree_.write(writer_, *threads_);
  const EngineVector<uint8_t>& bytes = writer_.bytes();
  if (bytes.size() > SearchBoard::kMostBytes) {
    board_->is_broken = 1;
    return;
  }
  const uint64_t version = version_ + 1;
  for (size_t i = 0; i < bytes.size(); ++i) board_->bytes[version % 2][i] = bytes[i];
  board_->sizes[version % 2] = bytes.size();
  version_ = version;
  board_->version.store(version);
  const double share = tree_.share_done();
  const auto explored = static_cast<double>(board_->explored.load());
  board_->estimate = static_cast<uint64_t>(share > 0 ? explored / share : explored);
  if (tree_.is_finished()) board_->finished = 1;
}

bool WorkShare::has_work() {
  if (is_outdated()) follow_others();
  if (has_work_) return true;
  if (is_finished() || board_->is_broken.load() != 0) return false;
  if (board_->is_alone.load() != 0 && worker_ != 0) return false;
  if (board_->version.load() == tried_) return false;
  const Locked locked(this);
  if (!tree_.claim(work_)) {
    tried_ = version_;
    set_idle(true);
    return false;
  }
  commit();
  set_idle(false);
  search_->begin_work(work_);
  is_settled_ = work_.ticket == kWholeSearch;
  has_work_ = true;
  return true;
}

void WorkShare::after_run(bool has_more) {
  send_elsewhere();
  if (!is_settled_ || !has_more) {
    const Locked locked(this);
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
    has_work_ = has_more;
    commit();
  }
  if (has_more && board_->idle.load() != 0) share_work();
}

// Reversals that begin at states which others share.
void WorkShare::send_elsewhere() {
  for (const ReducedSearch::Elsewhere& each : search_->elsewhere()) {
    const Step* sequence = search_->steps_elsewhere().begin() + each.first;
    if (tree_.covers(work_.ticket, each.depth, sequence, each.count)) continue;
    const Locked locked(this);
    tree_.insert(work_.ticket, each.depth, sequence, each.count);
    commit();
  }
}

void WorkShare::share_work() {
  if (board_->is_alone.load() != 0 || !search_->has_waiting_steps()) return;
  const Locked locked(this);
  if (tree_.has_work()) return;
  do {
    search_->hand_over_first(state_);
    work_.ticket = tree_.publish(work_.ticket, state_);
  } while (state_.waiting.empty());
  commit();
}

void WorkShare::follow_others() {
  search_->restart();
  tried_ = version_ = UINT64_MAX;
  has_work_ = false;
  const Locked locked(this);
  epoch_ = board_->epoch.load();
}

// REQUIRES: locked.
void WorkShare::clear_board() {
  tree_.clear();
  board_->explored = board_->blocked = board_->estimate = board_->gap_pc = 0;
  board_->assumptions = board_->gap = board_->finished = 0;
  board_->epoch.fetch_add(1);
  commit();
}

void WorkShare::begin_anew() {
  {
    const Locked locked(this);
    if (!is_outdated()) clear_board();
  }
  follow_others();
}

bool WorkShare::repeat_work() {
  if (!has_work_ || search_->runs_of_work() != 0) return false;
  search_->begin_work(work_);
  return true;
}

}  // namespace jostle::dpor
