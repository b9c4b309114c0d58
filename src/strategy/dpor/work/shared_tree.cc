// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/dpor/work/shared_tree.h"

#include "src/strategy/dpor/work/step_bytes.h"
#include "src/strategy/dpor/work/unit_bytes.h"

namespace jostle::dpor {

void SharedTree::join(SearchBoard* board) {
  board_ = board;
  tree_.clear();
  version_ = 0;
  generation_ = 0;
  position_ = 0;
  known_revision_ = 0;
}

bool SharedTree::follow() {
  const uint32_t generation = board_->generation.load();
  const uint32_t half = generation % 2;
  const uint64_t size = board_->sizes[half];
  if (size > SearchBoard::kMostBytes) {
    give_up();
    return true;
  }
  const bool has_news = knowledge_ && knowledge_->revision() != known_revision_;
  const bool is_new = generation != generation_;
  if (is_new) position_ = 0;
  generation_ = generation;
  version_ = board_->version.load();
  ByteReader reader(board_->bytes[half] + position_, size - position_);
  bool is_good = !is_new || read_beginning(reader);
  while (is_good && !reader.is_at_end()) is_good = repeat(reader);
  position_ = size;
  if (!is_good) give_up();
  if (!knowledge_) return true;
  if (!has_news) known_revision_ = knowledge_->revision();
  return !knowledge_->take_contradiction();
}

bool SharedTree::read_beginning(ByteReader& from) {
  if (knowledge_ && !knowledge_->read(from)) return false;
  return tree_.read(from, *threads_);
}

bool SharedTree::repeat(ByteReader& from) {
  const StepBytes steps(footprints_, paths_);
  const auto kind = static_cast<Kind>(from.number(static_cast<uint8_t>(Kind::knowledge)));
  if (!from.is_good()) return false;
  if (kind == Kind::claim) return tree_.claim(work_);
  if (kind == Kind::knowledge) return knowledge_ && knowledge_->read(from);
  const auto ticket = static_cast<uint32_t>(from.number(UINT32_MAX));
  if (!tree_.has_ticket(ticket)) return false;
  switch (kind) {
    case Kind::settle: {
      const Step step = steps.read(from, *threads_, parts_);
      if (from.is_good()) tree_.settle(ticket, step);
      break;
    }
    case Kind::publish:
      if (!read_state(from, steps, *threads_, parts_, state_)) return false;
      tree_.publish(ticket, state_);
      break;
    case Kind::insert: {
      const auto depth = static_cast<uint32_t>(from.number(UINT32_MAX));
      if (!read_steps(from, steps, *threads_, parts_, sequence_)) return false;
      tree_.insert(ticket, depth, sequence_.begin(), sequence_.size());
      break;
    }
    case Kind::finish:
      tree_.finish(ticket);
      break;
    default:
      tree_.drop(ticket);
  }
  return from.is_good();
}

bool SharedTree::claim(Work& work) {
  if (!tree_.claim(work)) return false;
  start(Kind::claim);
  append();
  return true;
}

bool SharedTree::settle(uint32_t ticket, const Step& step) {
  start(Kind::settle);
  writer_.number(ticket);
  StepBytes(footprints_, paths_).write(writer_, *threads_, step);
  const bool is_as_planned = tree_.settle(ticket, step);
  append();
  return is_as_planned;
}

uint32_t SharedTree::publish(uint32_t ticket, const PublishedState& state) {
  start(Kind::publish);
  writer_.number(ticket);
  write_state(writer_, StepBytes(footprints_, paths_), *threads_, state);
  const uint32_t added = tree_.publish(ticket, state);
  append();
  return added;
}

bool SharedTree::insert(uint32_t ticket, uint32_t depth, const Step* sequence, size_t count) {
  if (!tree_.insert(ticket, depth, sequence, count)) return false;
  start(Kind::insert);
  writer_.number(ticket);
  writer_.number(depth);
  write_steps(writer_, StepBytes(footprints_, paths_), *threads_, sequence, count);
  append();
  return true;
}

void SharedTree::finish(uint32_t ticket) {
  start(Kind::finish);
  writer_.number(ticket);
  tree_.finish(ticket);
  append();
}

void SharedTree::drop(uint32_t ticket) {
  start(Kind::drop);
  writer_.number(ticket);
  tree_.drop(ticket);
  append();
}

void SharedTree::clear() {
  tree_.clear();
  begin_generation();
}

void SharedTree::start(Kind kind) {
  writer_.clear();
  writer_.number(static_cast<uint8_t>(kind));
}

void SharedTree::append() {
  if (position_ > generation_size_ + 2 * board_->beginning) return begin_generation();
  known_.clear();
  if (knowledge_ && knowledge_->revision() != known_revision_) {
    known_.number(static_cast<uint8_t>(Kind::knowledge));
    knowledge_->write(known_);
    known_revision_ = knowledge_->revision();
  }
  if (position_ + known_.bytes().size() + writer_.bytes().size() > SearchBoard::kMostBytes) {
    return give_up();
  }
  put(known_);
  put(writer_);
  board_->sizes[generation_ % 2] = position_;
  board_->version.store(++version_);
}

void SharedTree::begin_generation() {
  writer_.clear();
  if (knowledge_) {
    knowledge_->write(writer_);
    known_revision_ = knowledge_->revision();
  }
  tree_.write(writer_, *threads_);
  if (writer_.bytes().size() > SearchBoard::kMostBytes) return give_up();
  ++generation_;
  position_ = 0;
  put(writer_);
  board_->beginning = position_;
  board_->sizes[generation_ % 2] = position_;
  board_->generation.store(generation_);
  board_->version.store(++version_);
}

void SharedTree::put(const ByteWriter& bytes) {
  uint8_t* to = board_->bytes[generation_ % 2] + position_;
  for (const uint8_t each : bytes.bytes()) *to++ = each;
  position_ += bytes.bytes().size();
}

}  // namespace jostle::dpor
