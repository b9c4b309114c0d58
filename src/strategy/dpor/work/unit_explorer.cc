// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/unit_explorer.h"

namespace jostle::dpor {

bool UnitExplorer::begin(const uint8_t* unit, size_t size, const uint8_t* part, size_t part_size) {
  search_->restart();  // also the tables in which steps are kept
  const StepBytes steps(search_->footprints(), search_->paths());
  counts_ = {};
  has_first_step_ = false;
  has_more_ = true;
  insertions_.clear();
  inserted_.clear();
  ByteReader from(unit, size);
  most_runs_ = from.number();
  publishes_ = from.number(1) != 0;
  ticket_ = static_cast<uint32_t>(from.number(UINT32_MAX));
  bool is_good = true;
  // What is left of a unit is read before anything else: that makes the tables anew.
  switch (static_cast<UnitKind>(from.number(static_cast<uint8_t>(UnitKind::rest)))) {
    case UnitKind::whole:
      break;
    case UnitKind::work:
      is_good = read_work(from, steps, *threads_, parts_, work_);
      work_.ticket = ticket_;
      if (is_good) search_->begin_work(work_);
      break;
    case UnitKind::rest:
      is_good = search_->read_work(from, *threads_);
      break;
  }
  if (!is_good || !from.is_good()) return false;
  size_t tree_size;
  const uint8_t* tree = from.block(&tree_size);
  if (!from.is_good() || !from.is_at_end()) return false;
  if (part_size != 0 && !read_part(part, part_size)) return false;
  ByteReader tree_reader(tree, tree_size);
  if (!tree_.read(tree_reader, *threads_)) return false;
  for (const Insertion& each : insertions_) {
    tree_.insert(ticket_, each.depth, inserted_.begin() + each.first, each.count);
  }
  return true;
}

bool UnitExplorer::read_part(const uint8_t* bytes, size_t size) {
  // The rest is last, and has to be read first.
  const StepBytes steps(search_->footprints(), search_->paths());
  for (const bool is_second : {false, true}) {
    ByteReader from(bytes, size);
    if (from.number(1) == 0) return false;
    const UnitCounts counts = read_counts(from);
    has_first_step_ = from.number(1) != 0;
    if (has_first_step_) first_step_ = steps.read(from, *threads_, parts_);
    insertions_.clear();
    inserted_.clear();
    for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
      const auto depth = static_cast<uint32_t>(from.number(UINT32_MAX));
      if (!read_steps(from, steps, *threads_, parts_, sequence_)) return false;
      insertions_.push_back({depth, static_cast<uint32_t>(inserted_.size()),
                             static_cast<uint32_t>(sequence_.size())});
      for (const Step& step : sequence_) inserted_.push_back(step);
    }
    if (from.number() != 0) return false;  // a part publishes nothing
    size_t rest_size;
    const uint8_t* rest = from.block(&rest_size);
    if (!from.is_good() || !from.is_at_end()) return false;
    if (is_second) {
      counts_ = counts;
      break;
    }
    ByteReader reader(rest, rest_size);
    if (!search_->read_work(reader, *threads_) || !reader.is_at_end()) return false;
  }
  return true;
}

void UnitExplorer::take_first_step() {
  if (!has_first_step_) has_first_step_ = search_->first_step(&first_step_);
}

// Reversals that begin at states which are not part of the unit.
void UnitExplorer::find_for_others() {
  for (const ReducedSearch::Elsewhere& each : search_->elsewhere()) {
    const Step* sequence = search_->steps_elsewhere().begin() + each.first;
    if (!tree_.insert(ticket_, each.depth, sequence, each.count)) continue;
    insertions_.push_back({each.depth, static_cast<uint32_t>(inserted_.size()), each.count});
    for (uint32_t i = 0; i < each.count; ++i) inserted_.push_back(sequence[i]);
  }
}

bool UnitExplorer::after_run(bool has_more) {
  ++counts_.runs;
  take_first_step();
  find_for_others();
  has_more_ = has_more;
  return !has_more || counts_.runs >= most_runs_;
}

void UnitExplorer::publish(ByteWriter& to) {
  const StepBytes steps(search_->footprints(), search_->paths());
  const uint32_t states = publishes_ ? search_->states_to_share(tree_.most_steps()) : 0;
  to.number(states);
  for (uint32_t i = 0; i < states; ++i) {
    search_->hand_over_first(state_);
    write_state(to, steps, *threads_, state_);
  }
}

void UnitExplorer::write_answer(ByteWriter& to, bool is_part) {
  const StepBytes steps(search_->footprints(), search_->paths());
  const double estimate = search_->estimate();
  counts_.estimate = has_more_ ? static_cast<uint64_t>(estimate) : counts_.explored;
  to.number(is_part);
  write_counts(to, counts_);
  to.number(has_first_step_);
  if (has_first_step_) steps.write(to, *threads_, first_step_);
  to.number(insertions_.size());
  for (const Insertion& each : insertions_) {
    to.number(each.depth);
    write_steps(to, steps, *threads_, inserted_.begin() + each.first, each.count);
  }
  if (is_part || !has_more_) {
    to.number(0);
  } else {
    publish(to);
  }
  rest_.clear();
  if (has_more_) search_->write_work(rest_, *threads_);
  to.block(rest_.bytes().begin(), rest_.bytes().size());
}

}  // namespace jostle::dpor
