// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/unit_desk.h"

namespace jostle::dpor {

bool UnitDesk::has_work(bool* begins) {
  *begins = false;
  if (state_ == State::exploring) return true;
  if (state_ == State::done) answer(UnitAnswer::done);
  if (state_ == State::learned) answer(UnitAnswer::learned);
  state_ = State::idle;
  if (exchange_->asked.load() == exchange_->answered.load()) return false;
  if (!take_order()) {
    answer(UnitAnswer::not_read);
    return false;
  }
  *begins = true;
  state_ = State::exploring;
  return true;
}

bool UnitDesk::take_order() {
  order_ = exchange_->asked.load();
  const uint64_t size = exchange_->order.size.load();
  if (size > SavedSearch::kMost) return false;
  ByteReader from(exchange_->order.bytes, size);
  for (uint64_t left = from.number(); left > 0 && from.is_good(); --left) {
    size_t known_size;
    const uint8_t* known = from.block(&known_size);
    ByteReader reader(known, known_size);
    if (knowledge_ && !knowledge_->read(reader)) return false;
  }
  unit_ = from.block(&unit_size_);
  part_ = from.block(&part_size_);
  repeated_ = 0;
  return from.is_good() && from.is_at_end() && begin();
}

bool UnitDesk::begin() { return explorer_.begin(unit_, unit_size_, part_, part_size_); }

void UnitDesk::repeat() {
  constexpr uint32_t kMostTimes = 100;
  if (++repeated_ <= kMostTimes && begin()) return;
  counts().is_broken = true;
  counts().gap = static_cast<uint64_t>(TrailGap::differs);
  after_run(false);
}

void UnitDesk::after_run(bool has_more) {
  if (explorer_.after_run(has_more)) state_ = State::done;
}

void UnitDesk::leave_part() {
  if (state_ == State::done) {
    answer(UnitAnswer::done);
  } else if (state_ == State::learned) {
    answer(UnitAnswer::learned);
  } else if (state_ == State::exploring && counts().runs != 0) {
    answer(UnitAnswer::part);
  }
  state_ = State::idle;
}

void UnitDesk::answer(UnitAnswer kind) {
  writer_.clear();
  if (kind == UnitAnswer::learned && knowledge_) knowledge_->write(writer_);
  if (kind == UnitAnswer::done || kind == UnitAnswer::part) {
    explorer_.write_answer(writer_, kind == UnitAnswer::part);
    before_.explored += counts().explored;
    before_.blocked += counts().blocked;
    before_.deadlocks += counts().deadlocks;
    before_.noted |= counts().noted;
    counts() = {};
  }
  const EngineVector<uint8_t>& bytes = writer_.bytes();
  if (bytes.size() > SavedSearch::kMost) kind = UnitAnswer::no_room;
  const size_t size = kind == UnitAnswer::no_room ? 0 : bytes.size();
  for (size_t i = 0; i < size; ++i) exchange_->answer.bytes[i] = bytes[i];
  exchange_->answer.size = size;
  exchange_->kind = kind;
  exchange_->answered.store(order_);
}

channel::Exploration UnitDesk::progress() const {
  const UnitCounts& now = explorer_.counts();
  channel::Exploration all;
  all.is_reduced = 1;
  all.explored = before_.explored + now.explored;
  all.blocked = before_.blocked + now.blocked;
  all.deadlocks = before_.deadlocks + now.deadlocks;
  all.assumptions = static_cast<uint32_t>(before_.noted | now.noted);
  all.estimate = all.explored;
  all.unexplored = 1;
  all.finished = exchange_->is_over.load();
  return all;
}

}  // namespace jostle::dpor
