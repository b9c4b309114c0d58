// SPDX-License-Identifier: Apache-2.0
#include "src/minimize/algorithm/input_shrinker.h"

#include <iterator>

namespace jostle {
namespace {

uint64_t distance(const Draw& draw) {
  const uint64_t centre = simplest(draw);
  const bool below = draw.kind == DrawKind::signed_number &&
                     static_cast<int64_t>(draw.value) < static_cast<int64_t>(centre);
  return below ? centre - draw.value : draw.value - centre;
}

bool is_below(const Draw& draw) {
  return draw.kind == DrawKind::signed_number &&
         static_cast<int64_t>(draw.value) < static_cast<int64_t>(simplest(draw));
}

uint64_t at_distance(const Draw& draw, uint64_t d, bool below) {
  return below ? simplest(draw) - d : simplest(draw) + d;
}

// Draws of two stretches: mostly one of them has an argument more.
struct Lengths {
  uint32_t first, second;
};
constexpr Lengths kPairs[] = {{3, 2}, {2, 3}, {2, 2}, {3, 3}};

// Is what follows the stretch drawn as its first was? Then the rest may mean what it meant.
bool closes(const EngineVector<Draw>& draws, uint32_t at, uint32_t length) {
  const uint32_t next = at + length;
  if (next >= draws.size()) return true;
  const Draw &gone = draws[at], &follows = draws[next];
  return gone.kind == follows.kind && gone.low == follows.low && gone.high == follows.high;
}

}  // namespace

bool is_simpler(const Draw* a, uint32_t a_count, const Draw* b, uint32_t b_count) {
  if (a_count != b_count) return a_count < b_count;
  for (uint32_t i = 0; i < a_count; ++i) {
    const uint64_t mine = complexity(a[i], a[i].value), other = complexity(b[i], b[i].value);
    if (mine != other) return mine < other;
  }
  return false;
}

void InputShrinker::start(const channel::Draws& failing, bool in_pairs) {
  in_pairs_ = in_pairs;
  best_.clear();
  for (uint32_t i = 0; i < failing.count; ++i) best_.push_back(failing.list[i]);
  stage_ = Stage::nothing;
  improved_ = false;
  at_ = try_ = doubled_ = 0;
}

void InputShrinker::copy_best(channel::Draws& to) const {
  to.count = static_cast<uint32_t>(best_.size());
  to.overflow = 0;
  for (uint32_t i = 0; i < to.count; ++i) to.list[i] = best_[i];
}

void InputShrinker::next_stage() {
  at_ = try_ = doubled_ = 0;
  switch (stage_) {
    case Stage::each:
      stage_ = improved_ ? Stage::leave_out : in_pairs_ ? Stage::pairs : Stage::done;
      improved_ = false;
      second_ = 0;
      break;
    case Stage::pairs:
      stage_ = improved_ ? Stage::leave_out : Stage::done;
      improved_ = false;
      break;
    default:
      stage_ = static_cast<Stage>(static_cast<int>(stage_) + 1);
  }
  equal_.clear();
  chunk_ = static_cast<uint32_t>(best_.size()) / 2;
  if (chunk_ == 0) chunk_ = 1;
}

bool InputShrinker::next(channel::Draws& candidate) {
  if (best_.empty()) return false;
  while (stage_ != Stage::done) {
    if (candidate_of(stage_, candidate)) return true;
    next_stage();
  }
  return false;
}

// Moves on to the next chunk that lies in the input. False: the smallest ones are done.
bool InputShrinker::next_chunk() {
  while (at_ >= best_.size()) {
    if (chunk_ <= 1) return false;
    chunk_ /= 2;
    at_ = 0;
  }
  return true;
}

// What belongs together need not lie together: who puts something in and who takes it out. Moves on
// to the next two stretches of two or three draws, as an element or a step has. False: all are
// done.
bool InputShrinker::next_pair() {
  constexpr uint32_t kFew = 40;
  const auto count = static_cast<uint32_t>(best_.size());
  if (count > kFew) return false;
  for (; try_ < std::size(kPairs); ++try_, at_ = 0, second_ = 0) {
    const auto [first, second] = kPairs[try_];
    for (; at_ + first + second <= count; ++at_, second_ = 0) {
      if (!closes(best_, at_, first)) continue;
      if (second_ < at_ + first) second_ = at_ + first;
      while (second_ + second <= count && !closes(best_, second_, second)) ++second_;
      if (second_ + second <= count) return true;
    }
  }
  return false;
}

bool InputShrinker::candidate_of(Stage stage, channel::Draws& to) {
  const auto count = static_cast<uint32_t>(best_.size());
  switch (stage) {
    case Stage::nothing:
      if (try_ != 0) return false;
      to.count = to.overflow = 0;
      return true;

    case Stage::leave_out: {
      if (!next_chunk()) return false;
      const uint32_t end = at_ + chunk_ < count ? at_ + chunk_ : count;
      to.overflow = 0;
      to.count = 0;
      for (uint32_t i = 0; i < count; ++i) {
        if (i < at_ || i >= end) to.list[to.count++] = best_[i];
      }
      return true;
    }

    case Stage::simplest: {
      for (; next_chunk(); at_ += chunk_) {
        copy_best(to);
        bool changes = false;
        for (uint32_t i = at_; i < at_ + chunk_ && i < count; ++i) {
          changes |= to.list[i].value != simplest(to.list[i]);
          to.list[i].value = simplest(to.list[i]);
        }
        if (changes) return true;
      }
      return false;
    }

    case Stage::equal_ones: {
      // Values that have to be the same get smaller together, or not at all.
      for (; at_ < count; ++at_) {
        const Draw& first = best_[at_];
        if (distance(first) == 0) continue;
        copy_best(to);
        const uint64_t smaller = at_distance(first, distance(first) / 2, is_below(first));
        uint32_t same = 0;
        for (uint32_t i = at_; i < count; ++i) {
          if (to.list[i].value != first.value || !fits(to.list[i], smaller)) continue;
          to.list[i].value = smaller;
          ++same;
        }
        if (same > 1) return true;
      }
      return false;
    }

    case Stage::each:
      for (; at_ < count; ++at_, try_ = 0, doubled_ = 0) {
        uint64_t value;
        if (!next_value(value)) continue;
        copy_best(to);
        to.list[at_].value = value;
        return true;
      }
      return false;

    case Stage::pairs: {
      if (!next_pair()) return false;
      const auto [first, second] = kPairs[try_];
      to.count = to.overflow = 0;
      for (uint32_t i = 0; i < count; ++i) {
        const bool goes = (i >= at_ && i < at_ + first) || (i >= second_ && i < second_ + second);
        if (!goes) to.list[to.count++] = best_[i];
      }
      return true;
    }

    case Stage::done:
      break;
  }
  return false;
}

// The tries of a draw: as a positive number; the simplest; then less by 1, 2, … kNear, then by
// powers of two, the largest first. What succeeds is tried again with twice as much, so that no
// number is far away; numbers that only do when they are a multiple of something get there, too.
bool InputShrinker::next_value(uint64_t& value) {
  const Draw& draw = best_[at_];
  const uint64_t d = distance(draw);
  const bool below = is_below(draw);
  if (d == 0) return false;
  if (try_ == 0 && !(below && fits(draw, at_distance(draw, d, false)))) ++try_;
  if (try_ == 0) {
    value = at_distance(draw, d, false);
    return true;
  }
  if (try_ == 1) {
    value = simplest(draw);
    return true;
  }
  constexpr uint32_t kNear = 16, kPowers = 64;
  for (; try_ < 2 + kPowers + kNear; ++try_, doubled_ = 0) {
    const uint32_t n = try_ - 2;
    const uint64_t least = n < kPowers ? uint64_t{1} << (kPowers - 1 - n) : n - kPowers + 1;
    if (doubled_ >= 63 || least << doubled_ >> doubled_ != least) continue;
    const uint64_t less = least << doubled_;
    if (less >= d) {
      if (doubled_ == 0) continue;
      doubled_ = 0;  // back to small steps
      if (least >= d) continue;
      value = at_distance(draw, d - least, below);
      return true;
    }
    value = at_distance(draw, d - less, below);
    return true;
  }
  return false;
}

bool InputShrinker::fails(const channel::Draws& drawn) {
  if (drawn.overflow ||
      !is_simpler(drawn.list, drawn.count, best_.begin(), static_cast<uint32_t>(best_.size()))) {
    passes();
    return false;
  }
  best_.clear();
  for (uint32_t i = 0; i < drawn.count; ++i) best_.push_back(drawn.list[i]);
  improved_ = true;
  if (stage_ == Stage::simplest) at_ += chunk_;
  if (stage_ == Stage::nothing) ++try_;
  if (stage_ == Stage::pairs) {
    // With what is left from the beginning.
    stage_ = Stage::each;
    at_ = static_cast<uint32_t>(best_.size());
    return true;
  }
  if (stage_ == Stage::each) {
    if (try_ < 2) {
      ++try_;
    } else {
      ++doubled_;
    }
  }
  return true;
}

void InputShrinker::passes() {
  switch (stage_) {
    case Stage::nothing:
      ++try_;
      break;
    case Stage::leave_out:
      // Elements need not begin where chunks do.
      at_ += chunk_ > 8 ? chunk_ / 2 : 1;
      break;
    case Stage::simplest:
      at_ += chunk_;
      break;
    case Stage::equal_ones:
      ++at_;
      break;
    case Stage::each:
      // Twice as much did not do: once more may.
      if (doubled_ == 0) ++try_;
      doubled_ = 0;
      break;
    case Stage::pairs:
      ++second_;
      break;
    case Stage::done:
      break;
  }
}

}  // namespace jostle
