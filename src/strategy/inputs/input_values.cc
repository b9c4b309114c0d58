// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/inputs/input_values.h"

namespace jostle {
namespace {

// Ranges up to this size are small enough to be sampled evenly.
constexpr uint64_t kSmallRange = 16;

uint64_t below_or_at(Rng& rng, uint64_t most) {
  return most == UINT64_MAX ? rng.next() : rng.below(most + 1);
}

int width_of(uint64_t n) { return n == 0 ? 0 : 64 - __builtin_clzll(n); }

}  // namespace

void InputValues::begin(uint64_t seed) {
  rng_.reseed(seed);
  recent_count_ = 0;
  const uint64_t dice = rng_.below(10);
  mood_ = dice < 4   ? Mood::mixed
          : dice < 8 ? Mood::small
          : dice < 9 ? Mood::boundaries
                     : Mood::wide;
}

uint64_t InputValues::small(const channel::Draw& asked) {
  const uint64_t distance = rng_.below(uint64_t{1} << (1 + rng_.below(6)));
  const uint64_t centre = simplest(asked);
  const bool down = asked.kind == DrawKind::signed_number && rng_.below(4) == 0;
  return clamped(asked, down ? centre - distance : centre + distance);
}

uint64_t InputValues::boundary(const channel::Draw& asked) {
  const uint64_t nudge = rng_.below(3) - 1;  // -1, 0 or 1
  switch (rng_.below(5)) {
    case 0:
      return asked.low + (nudge == 1 ? 1 : 0);
    case 1:
      return asked.high - (nudge == 1 ? 1 : 0);
    case 2:
      return clamped(asked, simplest(asked) + nudge);
    case 3: {  // round, as people write them: 200, 5000
      uint64_t round = 1 + rng_.below(9);
      for (uint64_t zeros = rng_.below(7); zeros > 0; --zeros) round *= 10;
      return clamped(asked, rng_.below(4) == 0 ? uint64_t{0} - round : round);
    }
    default: {
      const uint64_t power = uint64_t{1} << rng_.below(64);
      return clamped(asked, (rng_.below(2) ? power : uint64_t{0} - power) + nudge);
    }
  }
}

// All orders of magnitude alike.
uint64_t InputValues::wide(const channel::Draw& asked) {
  const int width = width_of(span_of(asked));
  const uint64_t bits = rng_.below(static_cast<uint64_t>(width)) + 1;
  if (bits == static_cast<uint64_t>(width)) {
    return asked.low + below_or_at(rng_, span_of(asked));
  }
  const uint64_t distance = rng_.below(uint64_t{1} << bits);
  const bool down = asked.kind == DrawKind::signed_number && rng_.below(2) == 0;
  return clamped(asked, down ? simplest(asked) - distance : simplest(asked) + distance);
}

uint64_t InputValues::value(const channel::Draw& asked) {
  const uint64_t span = span_of(asked);
  if (span == 0) return asked.low;
  uint64_t result;
  if (span < kSmallRange) {
    // Still biased in a small mood, or three zeros in a row would be rare.
    result = mood_ == Mood::small && rng_.below(3) == 0 ? simplest(asked)
                                                        : asked.low + rng_.below(span + 1);
  } else {
    const uint64_t dice = rng_.below(20);
    if (dice < 3 && recent_count_ != 0) {
      const uint32_t known = recent_count_ < kRecent ? recent_count_ : kRecent;
      result = clamped(asked, recent_[rng_.below(known)] + (dice == 0 ? 1 : 0));
    } else if (dice < 6 && !learned_.empty()) {
      result = clamped(asked, learned_[rng_.below(learned_.size())] + rng_.below(3) - 1);
    } else if (mood_ == Mood::small || (mood_ == Mood::mixed && dice < 13)) {
      result = small(asked);
    } else if (mood_ == Mood::boundaries || (mood_ == Mood::mixed && dice < 16)) {
      result = boundary(asked);
    } else {
      result = wide(asked);
    }
    recent_[recent_count_++ % kRecent] = result;
  }
  return result;
}

uint64_t InputValues::changed(const channel::Draw& draw) {
  const uint64_t step = rng_.below(2) ? 1 : 1 + rng_.below(32);
  switch (rng_.below(4)) {
    case 0:
      return clamped(draw, draw.value + step);
    case 1:
      return clamped(draw, draw.value - step);
    case 2:
      return clamped(draw, draw.value ^ uint64_t{1} << rng_.below(64));
    default:
      return value(draw);
  }
}

void InputValues::learn(uint64_t value) {
  // Mostly it is what the run before has compared, too.
  uint64_t& lately = lately_[(value * 0x9E3779B97F4A7C15) >> 58];
  if (lately == value) return;
  lately = value;
  for (const uint64_t known : learned_) {
    if (known == value) return;
  }
  if (learned_.size() < kLearned) {
    learned_.push_back(value);
  } else {
    learned_[learned_total_ % kLearned] = value;
  }
  ++learned_total_;
}

}  // namespace jostle
