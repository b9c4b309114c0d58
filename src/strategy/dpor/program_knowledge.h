// SPDX-License-Identifier: Apache-2.0
// What runs have shown of a program, as far as the steps of the next ones depend on it: which
// memory is shared and how fine accesses are, which loops wait, whether ends matter. For other
// processes: one that goes on with a search, or that takes part in it.
#pragma once

#include <cstdint>

#include "src/strategy/dpor/trail_reader.h"
#include "src/strategy/dpor/work/shared_knowledge.h"

namespace jostle::dpor {

class ProgramKnowledge final : public SharedKnowledge {
 public:
  ProgramKnowledge(ActionTrail* trail, TrailReader* reader) : trail_(trail), reader_(reader) {}

  void write(ByteWriter& to) const override;
  // Adds to what is known.
  bool read(ByteReader& from) override;
  uint64_t revision() const override {
    return trail_->cell_count + trail_->loops.revision() + reader_->revision();
  }
  bool take_contradiction() override { return reader_->take_contradiction(); }

  // Since it was written or read: does the run that is over show something more?
  bool has_more_cells() const { return trail_->cell_count != shared_cells_; }
  bool has_more() const {
    return has_more_cells() || reader_->do_ends_matter() != ends_matter_ || trail_->has_learned ||
           reader_->has_become_finer();
  }

 private:
  bool add_cell(uint32_t cell);
  void note() const;

  ActionTrail* trail_;
  TrailReader* reader_;
  mutable uint32_t shared_cells_ = 0;
  mutable bool ends_matter_ = false;
  EngineVector<uint32_t> cells_;  // those of the trail, to be found
  IndexTable cell_table_;
};

}  // namespace jostle::dpor
