// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/program_knowledge.h"

#include "src/base/hash.h"

namespace jostle::dpor {

void ProgramKnowledge::note() const {
  shared_cells_ = trail_->cell_count;
  ends_matter_ = reader_->do_ends_matter();
}

void ProgramKnowledge::write(ByteWriter& to) const {
  to.number(trail_->cell_count);
  for (uint32_t i = 0; i < trail_->cell_count; ++i) to.number(trail_->cells[i]);
  uint32_t heads = 0, rounds = 0;
  trail_->loops.each_head([&](uintptr_t, WaitingLoops::Kind) { ++heads; });
  trail_->loops.each_round([&](uint64_t) { ++rounds; });
  to.number(heads);
  trail_->loops.each_head([&](uintptr_t pc, WaitingLoops::Kind kind) {
    to.number(pc);
    to.number(static_cast<uint8_t>(kind));
  });
  to.number(rounds);
  trail_->loops.each_round([&](uint64_t key) { to.name(key); });
  reader_->write(to);
  note();
}

// False: no room.
bool ProgramKnowledge::add_cell(uint32_t cell) {
  const auto hash_of = [this](uint32_t i) { return combine(3, cells_[i]); };
  while (cells_.size() < trail_->cell_count) {
    cells_.push_back(trail_->cells[cells_.size()]);
    cell_table_.add(static_cast<uint32_t>(cells_.size()) - 1, hash_of);
  }
  const auto is_it = [&](uint32_t i) { return cells_[i] == cell; };
  if (cell_table_.find(combine(3, cell), is_it) != IndexTable::kNotThere) return true;
  if (trail_->cell_count == ActionTrail::kMostCells) return false;
  trail_->cells[trail_->cell_count++] = cell;
  return true;
}

bool ProgramKnowledge::read(ByteReader& from) {
  for (uint32_t left = from.count(); left > 0; --left) {
    if (!add_cell(static_cast<uint32_t>(from.number(UINT32_MAX)))) return false;
  }
  for (uint32_t left = from.count(); left > 0; --left) {
    const uintptr_t pc = from.number();
    const auto kind = static_cast<WaitingLoops::Kind>(
        from.number(static_cast<uint8_t>(WaitingLoops::Kind::many)));
    if (trail_->loops.kind_of(pc) < kind) trail_->loops.learn(pc, kind);
  }
  for (uint32_t left = from.count(); left > 0; --left) trail_->loops.learn_round_again(from.name());
  reader_->read(from);
  note();
  return from.is_good();
}

}  // namespace jostle::dpor
