// SPDX-License-Identifier: Apache-2.0
// A vector clock: what is known of every slot. Of a thousand slots most know of a few, so a row
// keeps how far it is used: what lies behind is zero, and costs nothing when rows are copied or
// joined, or when there is one slot more. Four entries are compared at a time.
#pragma once

#include <cstdint>

#include "src/base/check.h"

namespace jostle::race {

using Clock = uint32_t;

namespace clocks {

using Four = Clock __attribute__((vector_size(16)));
struct __attribute__((packed, aligned(4), may_alias)) Lane {
  Four four;
};

// The later of both, entry by entry. The tail is done singly: what lies behind it is not ours.
inline void join(Clock* to, const Clock* from, uint32_t count) {
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Four a = reinterpret_cast<const Lane*>(to + i)->four;
    const Four b = reinterpret_cast<const Lane*>(from + i)->four;
    reinterpret_cast<Lane*>(to + i)->four = a > b ? a : b;
  }
  for (; i < count; ++i) to[i] = to[i] > from[i] ? to[i] : from[i];
}

inline void copy(Clock* to, const Clock* from, uint32_t count) {
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    reinterpret_cast<Lane*>(to + i)->four = reinterpret_cast<const Lane*>(from + i)->four;
  }
  for (; i < count; ++i) to[i] = from[i];
}

// Whole lanes, where what lies behind the end is zero: there is no tail.
inline uint32_t join_lanes(Clock* to, const Clock* from, uint32_t count) {
  uint32_t i = 0;
  for (; i < count; i += 4) {
    const Four a = reinterpret_cast<const Lane*>(to + i)->four;
    const Four b = reinterpret_cast<const Lane*>(from + i)->four;
    reinterpret_cast<Lane*>(to + i)->four = a > b ? a : b;
  }
  return i;
}

inline void copy_lanes(Clock* to, const Clock* from, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 4) {
    reinterpret_cast<Lane*>(to + i)->four = reinterpret_cast<const Lane*>(from + i)->four;
  }
}

inline void clear(Clock* at, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) at[i] = 0;
}

}  // namespace clocks

class ClockRow {
 public:
  bool is_attached() const { return at_ != nullptr; }
  // Zeroed memory for as many slots as there may be.
  void attach(Clock* storage) { at_ = storage; }

  const Clock* data() const { return at_; }
  uint32_t extent() const { return extent_; }
  Clock operator[](uint32_t slot) const { return at_[slot]; }
  void set(uint32_t slot, Clock time) {
    at_[slot] = time;
    if (slot >= extent_) extent_ = slot + 1;
  }
  void advance(uint32_t slot) {
    JOSTLE_CHECK_LT(slot, extent_);
    ++at_[slot];
  }

  void clear() {
    clocks::clear(at_, extent_);
    extent_ = 0;
  }
  void copy(const ClockRow& from) {
    clocks::copy(at_, from.at_, from.extent_);
    for (uint32_t i = from.extent_; i < extent_; ++i) at_[i] = 0;
    extent_ = from.extent_;
  }
  void join(const Clock* from, uint32_t count) {
    clocks::join(at_, from, count);
    if (count > extent_) extent_ = count;
  }
  void join(const ClockRow& from) {
    clocks::join_lanes(at_, from.at_, from.extent_);
    if (from.extent_ > extent_) extent_ = from.extent_;
  }
  // Of what lies outside, `count` entries in whole lanes.
  void join_lanes(const Clock* from, uint32_t count) {
    clocks::join_lanes(at_, from, count);
    if (count > extent_) extent_ = count;
  }
  // Adds to what lies there, `count` entries in whole lanes, what is here.
  void add_to(Clock* there, uint32_t count) const {
    const uint32_t done = clocks::join_lanes(there, at_, count < extent_ ? count : extent_);
    if (done < extent_) clocks::copy_lanes(there + done, at_ + done, extent_ - done);
  }
  // What lies there and what is here become the same.
  void unite_with(Clock* there, uint32_t count) {
    if (count > extent_) extent_ = count;
    if (extent_ <= 4 && count != 0) [[likely]] {
      clocks::join_lanes(at_, there, 1);
      return clocks::copy_lanes(there, at_, 1);
    }
    clocks::join_lanes(at_, there, count);
    clocks::copy_lanes(there, at_, extent_);
  }

 private:
  Clock* at_ = nullptr;
  uint32_t extent_ = 0;  // entries from here on are zero
};

}  // namespace jostle::race
