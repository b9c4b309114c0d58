// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/divided_search.h"

#include "src/base/hash.h"
#include "src/strategy/dpor/work/noted_locks.h"

namespace jostle::dpor {

Thread NumberedThreads::thread_of(uint64_t name) {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return static_cast<Thread>(i);
  }
  names_.push_back(name);
  return static_cast<Thread>(names_.size() - 1);
}

void DividedSearch::restart() {
  footprints_.clear();
  paths_.clear();
  threads_.clear();
  tree_.clear();
  units_.clear();
  contents_.clear();
  round_ = 0;
  runs_ = sizes_.first_runs;
  identity_ = 0;
  is_alone_ = is_finished_ = false;
  sum_ = {};
  tree_.claim(work_);
  add_unit(work_.ticket, UnitKind::whole, nullptr, 0);
}

void DividedSearch::add_unit(uint32_t ticket, UnitKind kind, const uint8_t* bytes, size_t size) {
  const size_t first = contents_.size();
  contents_.resize(first + size);
  for (size_t i = 0; i < size; ++i) contents_[first + i] = bytes[i];
  units_.push_back({ticket, kind, first, size});
}

void DividedSearch::add_work() {
  writer_.clear();
  write_work(writer_, StepBytes(&footprints_, &paths_), threads_, work_);
  add_unit(work_.ticket, UnitKind::work, writer_.bytes().begin(), writer_.bytes().size());
}

void DividedSearch::write_unit(uint32_t unit, ByteWriter& to) {
  const Unit& given = units_[unit];
  to.number(runs_);
  to.number(!is_alone_ && units_.size() < sizes_.most_units);
  to.number(given.ticket);
  to.number(static_cast<uint8_t>(given.kind));
  for (size_t i = 0; i < given.size; ++i) to.byte(contents_[given.first + i]);
  writer_.clear();
  tree_.write(writer_, threads_);
  to.block(writer_.bytes().begin(), writer_.bytes().size());
}

uint64_t DividedSearch::identity(uint32_t unit) const {
  return combine(combine(identity_, round_), unit);
}

bool DividedSearch::read(const Bytes& bytes, Part part, Unit* unit, Answer& answer) {
  const StepBytes steps(&footprints_, &paths_);
  ByteReader from(bytes.begin, bytes.size);
  if (from.number(1) != 0) return false;  // only a part
  answer.counts = read_counts(from);
  answer.has_first_step = from.number(1) != 0;
  if (answer.has_first_step) answer.first_step = steps.read(from, threads_, parts_);
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    const auto depth = static_cast<uint32_t>(from.number(UINT32_MAX));
    if (!read_steps(from, steps, threads_, parts_, sequence_)) return false;
    if (part == Part::insert) {
      tree_.insert(unit->ticket, depth, sequence_.begin(), sequence_.size());
    }
  }
  for (uint32_t left = from.count(); left > 0 && from.is_good(); --left) {
    if (!read_state(from, steps, threads_, parts_, state_)) return false;
    if (part == Part::publish) unit->ticket = tree_.publish(unit->ticket, state_);
  }
  const uint8_t* rest = from.block(&answer.rest_size);
  if (!from.is_good() || !from.is_at_end()) return false;
  if (part == Part::publish && answer.rest_size != 0) {
    add_unit(unit->ticket, UnitKind::rest, rest, answer.rest_size);
  }
  return true;
}

bool DividedSearch::is_answer(const Bytes& answer, UnitCounts* counts) {
  Answer found;
  if (!read(answer, Part::look, nullptr, found)) return false;
  *counts = found.counts;
  return true;
}

void DividedSearch::end_round(const Bytes* answers) {
  units_before_.clear();
  for (const Unit& unit : units_) units_before_.push_back(unit);
  units_.clear();
  contents_.clear();
  answers_.clear();
  answers_.resize(units_before_.size());
  sum_.estimate = 0;
  for (size_t i = 0; i < units_before_.size(); ++i) {
    read(answers[i], Part::insert, &units_before_[i], answers_[i]);
    const UnitCounts& counts = answers_[i].counts;
    sum_.runs += counts.runs;
    sum_.explored += counts.explored;
    sum_.blocked += counts.blocked;
    sum_.deadlocks += counts.deadlocks;
    sum_.redundant += counts.redundant;
    sum_.noted |= counts.noted;
    sum_.estimate += counts.estimate;
    if (sum_.gap == 0) {
      sum_.gap = counts.gap;
      sum_.gap_pc = counts.gap_pc;
    }
    sum_.is_broken |= counts.is_broken;
    identity_ = combine(identity_, combine(counts.explored, counts.runs));
  }
  ++round_;
  if (runs_ < sizes_.most_runs) runs_ *= 2;
  for (size_t i = 0; i < units_before_.size(); ++i) {
    const Answer& answer = answers_[i];
    if (!answer.has_first_step || units_before_[i].ticket == kWholeSearch) continue;
    if (!tree_.settle(units_before_[i].ticket, answer.first_step)) return begin_alone();
  }
  for (size_t i = 0; i < units_before_.size(); ++i) {
    read(answers[i], Part::publish, &units_before_[i], answers_[i]);
  }
  for (size_t i = 0; i < units_before_.size(); ++i) {
    if (answers_[i].rest_size != 0) continue;
    const uint32_t ticket = units_before_[i].ticket;
    if (tree_.is_settled(ticket)) {
      tree_.finish(ticket);
    } else {
      tree_.drop(ticket);
    }
  }
  make_units();
}

void DividedSearch::make_units() {
  is_finished_ = tree_.is_finished() || sum_.is_broken;
  while (!is_finished_ && units_.size() < sizes_.most_units && tree_.take_back(work_)) add_work();
  while (!is_finished_ && units_.size() < sizes_.most_units && tree_.claim(work_)) add_work();
  if (is_finished_) units_.clear();
  if (units_.empty()) is_finished_ = true;
  sum_.is_broken |= is_finished_ && !tree_.is_finished();
}

// A step does something else than was expected, on which the division of work relied.
void DividedSearch::begin_alone() {
  tree_.clear();
  sum_ = {};
  is_alone_ = true;
  units_.clear();
  contents_.clear();
  runs_ = sizes_.most_runs;
  tree_.claim(work_);
  add_unit(work_.ticket, UnitKind::whole, nullptr, 0);
}

channel::Exploration DividedSearch::progress() {
  channel::Exploration all;
  all.is_reduced = 1;
  all.explored = sum_.explored;
  all.blocked = sum_.blocked;
  all.deadlocks = sum_.deadlocks;
  all.redundant = sum_.redundant;
  all.assumptions = static_cast<uint32_t>(sum_.noted);
  all.gap = static_cast<TrailGap>(sum_.gap);
  all.gap_pc = sum_.gap_pc;
  if (all.gap == TrailGap::none && locks_are_a_gap(sum_.noted)) all.gap = TrailGap::spinning;
  if (all.gap == TrailGap::none && sum_.is_broken) all.gap = TrailGap::too_long;
  if (is_finished_) {
    all.finished = 1;
    all.estimate = all.explored;
    all.everything = all.gap == TrailGap::none;
    return all;
  }
  const double share = tree_.share_done();
  const auto explored = static_cast<double>(sum_.explored);
  all.estimate = share > 0 ? static_cast<uint64_t>(explored / share) : sum_.estimate;
  if (all.estimate < all.explored) all.estimate = all.explored;
  all.unexplored = all.estimate > all.explored ? all.estimate - all.explored : 1;
  return all;
}

}  // namespace jostle::dpor
