// SPDX-License-Identifier: Apache-2.0
// A reduced search that explores one unit of a divided search (divided_search.h) after the other.
//
// What comes of a unit depends on the unit alone, not on who explores it or when: so many runs are
// made, whatever time they take, and what others find meanwhile is not heard of. Who is interrupted
// leaves a part of an answer; somebody else who goes on with it ends up with the same answer.
#pragma once

#include <cstdint>

#include "src/strategy/dpor/reduced_search.h"
#include "src/strategy/dpor/work/unit_bytes.h"
#include "src/strategy/dpor/work/work_tree.h"

namespace jostle::dpor {

class UnitExplorer {
 public:
  // Both outlive this.
  UnitExplorer(ReducedSearch* search, ThreadNames* threads)
      : search_(search), threads_(threads), tree_(search->footprints(), search->paths()) {}

  // From here on this unit is explored; `part`: so far it was before. False: it is damaged.
  bool begin(const uint8_t* unit, size_t size, const uint8_t* part, size_t part_size);

  // Of the runs that are made now; the explorer counts runs itself.
  UnitCounts& counts() { return counts_; }
  const UnitCounts& counts() const { return counts_; }
  // After a run, with the answer of end_run. True: the unit is done.
  bool after_run(bool has_more);
  // Then; or between runs, to leave a part.
  void write_answer(ByteWriter& to, bool is_part);

 private:
  bool read_part(const uint8_t* bytes, size_t size);
  void take_first_step();
  void find_for_others();
  void publish(ByteWriter& to);

  ReducedSearch* search_;
  ThreadNames* threads_;
  WorkTree tree_;  // as it was when the unit was made, and what this unit has found for it
  uint32_t ticket_ = 0;
  uint64_t most_runs_ = 0;
  bool publishes_ = false;
  bool has_more_ = false;
  UnitCounts counts_;
  bool has_first_step_ = false;
  Step first_step_ = {};
  struct Insertion {
    uint32_t depth, first, count;
  };
  EngineVector<Insertion> insertions_;
  EngineVector<Step> inserted_;
  EngineVector<Step> sequence_;
  EngineVector<Part> parts_;
  Work work_;
  PublishedState state_;
  ByteWriter rest_;
};

}  // namespace jostle::dpor
