// SPDX-License-Identifier: Apache-2.0
// A reduced search as one of several workers in as many processes: it takes work from the board
// (schedule/search/search_board.h), where the tree that they share (shared_tree.h) is written down,
// and publishes some of its own while others have none.
//
// What is covered in an old copy of the tree is so still: most reversals that belong to others need
// no lock.
#pragma once

#include <cstdint>

#include "src/schedule/exploration.h"
#include "src/schedule/search/search_board.h"
#include "src/strategy/dpor/reduced_search.h"
#include "src/strategy/dpor/work/shared_tree.h"

namespace jostle::dpor {

class WorkShare {
 public:
  // All outlive this. `knowledge` may be null.
  WorkShare(ReducedSearch* search, ThreadNames* threads, SharedKnowledge* knowledge,
            uint64_t generation_size = SharedTree::kLongGeneration)
      : search_(search),
        tree_(search->footprints(), search->paths(), threads, knowledge, generation_size) {}
  // One of several workers, or the only one again if it was before: then all begin anew.
  void join(SearchBoard* board, uint32_t worker);
  bool is_shared() const { return board_ != nullptr; }

  // Between runs: there is work. False: nothing is left, or others have all of it for now.
  bool has_work();
  bool is_finished() const { return board_->finished.load() != 0; }
  // After a run of this epoch, with the answer of end_run.
  void after_run(bool has_more);
  // One more execution.
  void note_run(bool is_blocked, bool is_deadlock, uint32_t assumptions);
  // One that all could have been spared.
  void note_redundant() { own_progress().redundant.fetch_add(1); }
  void note_locks(bool leaves_out, bool fails);  // see TrailReader::gap_of
  void note_gap(TrailGap gap, uintptr_t pc);
  // The search cannot go on.
  void give_up() { board_->is_broken = 1; }
  // Of all workers.
  channel::Exploration progress() const;
  // Others have begun anew: neither the run that was made nor the work counts for anything.
  bool is_outdated() const { return board_->epoch.load() != epoch_; }
  void follow_others();
  // A run has shown what nobody knew: all begin anew.
  void begin_anew();
  // The run was not as the next ones will be, but showed nothing new: once more. False: some runs
  // of the work were made already.
  bool repeat_work();

 private:
  // With an equal copy of the tree. To be asked then: is_outdated().
  class Locked {
   public:
    explicit Locked(WorkShare* share);
    ~Locked();
    Locked(const Locked&) = delete;

   private:
    WorkShare* share_;
  };

  SearchBoard::Progress& own_progress();
  void update_share();
  void clear_board();
  void send_elsewhere();
  void share_work();
  void set_idle(bool idle);
  void set_busy(bool busy);
  bool is_worth_it() const;

  ReducedSearch* search_;
  SharedTree tree_;
  SearchBoard* board_ = nullptr;
  uint32_t worker_ = 0;
  uint32_t epoch_ = 0;
  uint64_t shared_at_ = 0;       // version in which the share that is done was computed
  uint64_t tried_ = UINT64_MAX;  // version in which there was no work
  // Small pieces of work cost more than they bring: who had one waits for so many executions of
  // others before it takes the next.
  uint64_t penalty_ = 0;
  uint64_t not_before_ = 0;
  bool has_work_ = false;
  bool is_settled_ = false;
  bool is_idle_ = false;
  Work work_;
  PublishedState state_;
};

}  // namespace jostle::dpor
