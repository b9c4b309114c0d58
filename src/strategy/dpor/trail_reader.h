// SPDX-License-Identifier: Apache-2.0
// Steps of a real run (schedule/action_trail.h) as actions of the reduced search.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/index_table.h"
#include "src/schedule/action_trail.h"
#include "src/schedule/run_record.h"
#include "src/strategy/dpor/action.h"
#include "src/strategy/dpor/memory_cells.h"
#include "src/strategy/dpor/work/byte_stream.h"

namespace jostle::dpor {

// In memory that runs in processes of their own share.
ActionTrail* new_trail();

class TrailReader final : public ThreadNames {
 public:
  // Threads are numbered in the order in which they are asked for; the same over all runs.
  Thread thread_of(uint64_t path) override;
  uint64_t name_of(Thread thread) const override { return paths_[thread]; }

  // Some runs end while other threads could go on: then the end is an act that all others depend
  // on.
  void ends_matter() { ends_matter_ = true; }
  bool do_ends_matter() const { return ends_matter_; }

  // Valid until the next call.
  const Action& action_of(const ActionTrail& trail, const TrailStep& step, bool is_end = false);
  const Action& waiting(const ActionTrail& trail, uint32_t i);
  // A step that is not over: who, and what enabled it.
  const Action& begun(const TrailStep& step);

  // Accesses were finer than those before at the same place: earlier actions were wrong.
  bool has_become_finer() const { return is_finer_; }
  void begin_run() {
    is_finer_ = false;
    events_.clear();
  }
  // Why the trail of a run that is over, together with those before, is not all there is.
  TrailGap gap_of(const ActionTrail& trail, const channel::RunRecord& run);
  // What was learned of the program stays; runs so far do not count.
  void start_over() { leaves_out_locks_ = fails_to_lock_ = false; }
  // What is known of the program, for another process.
  void write(ByteWriter& to) const;
  void read(ByteReader& from);  // adds to it
  uint64_t revision() const;    // grows with it
  // What was read shows that actions before were not as they are elsewhere. Says so once.
  bool take_contradiction();
  void forget_cells() { cells_.clear(); }
  // Runs had these: together they are a gap.
  void note_locks(bool leaves_out, bool fails) {
    leaves_out_locks_ |= leaves_out;
    fails_to_lock_ |= fails;
  }
  bool leaves_out_locks() const { return leaves_out_locks_; }
  bool fails_to_lock() const { return fails_to_lock_; }
  uint32_t event_of(uint32_t step) const { return events_[step]; }
  // The next step of the trail will be this event of the search.
  void is_event(uint32_t event) { events_.push_back(event); }

 private:
  void add(const TrailPart& part);
  bool is_left_out(const TrailPart& part);
  uint32_t events_before(uint32_t steps) const;
  const Action& finish(const TrailStep& step, bool is_end);

  MemoryCells cells_;
  EngineVector<uint64_t> paths_;
  IndexTable path_table_;
  EngineVector<uint32_t> events_;  // by step
  EngineVector<Part> parts_;
  EngineVector<Choice> choices_;
  Action action_;
  bool is_finer_ = false;
  bool is_contradicted_ = false;
  bool ends_matter_ = false;
  // By `Matters`: whether it does, and whether acts of steps so far were left out.
  bool matters_[kMattersKinds] = {true};
  bool has_left_out_[kMattersKinds] = {};
  bool leaves_out_locks_ = false;
  bool fails_to_lock_ = false;
};

}  // namespace jostle::dpor
