// SPDX-License-Identifier: Apache-2.0
// A scenario of operations as it was drawn, and another made of some of its operations.
//
//   before    (more_operations = 1, operation, arguments…)… more_operations = 0
//   threads   (more_threads = 1, operations as above)… more_threads = 0
//   after     operations as above
//
// Whatever is drawn behind that is no part of the scenario. Pure.
#pragma once

#include <cstdint>

#include "src/schedule/history/operation_history.h"
#include "src/schedule/input_record.h"

namespace jostle {

class ScenarioDraws {
 public:
  struct Operation {
    uint32_t first, end;  // its draws: which, and its arguments
    uint32_t part;        // 0 before, 1, 2, … threads, kAfter
  };
  static constexpr uint32_t kAfter = UINT32_MAX;

  // False: these are no draws of a scenario. What it reads has to stay where it is.
  bool read(const channel::Draw* draws, uint32_t count) {
    draws_ = draws;
    draw_count_ = count;
    at_ = count_ = threads_ = 0;
    if (!read_part(0)) return false;
    while (next_is(channel::DrawKind::more_threads, 1)) {
      if (!read_part(++threads_)) return false;
    }
    return next_is(channel::DrawKind::more_threads, 0) && read_part(kAfter);
  }

  uint32_t count() const { return count_; }
  const Operation& operator[](uint32_t i) const { return operations_[i]; }
  uint32_t threads() const { return threads_; }

  // The same with these operations only (bit i: operation i), and with the threads that have any.
  void write(uint64_t kept, channel::Draws& to) const {
    to.count = to.overflow = 0;
    write_part(0, kept, to);
    for (uint32_t thread = 1; thread <= threads_; ++thread) {
      if ((of_part(thread) & kept) == 0) continue;
      push(channel::DrawKind::more_threads, 1, to);
      write_part(thread, kept, to);
    }
    push(channel::DrawKind::more_threads, 0, to);
    write_part(kAfter, kept, to);
    for (uint32_t i = at_; i < draw_count_; ++i) to.list[to.count++] = draws_[i];
  }

  // Bits of the operations of a part.
  uint64_t of_part(uint32_t part) const {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count_; ++i) bits |= uint64_t{operations_[i].part == part} << i;
    return bits;
  }
  // Of so many threads are these operations.
  uint32_t threads_of(uint64_t kept) const {
    uint32_t threads = 0;
    for (uint32_t thread = 1; thread <= threads_; ++thread)
      threads += (of_part(thread) & kept) != 0;
    return threads;
  }

 private:
  static bool is_argument(channel::DrawKind kind) {
    return kind != channel::DrawKind::more_operations && kind != channel::DrawKind::more_threads &&
           kind != channel::DrawKind::operation;
  }

  bool next_is(channel::DrawKind kind, uint64_t value) {
    if (at_ == draw_count_ || draws_[at_].kind != kind || draws_[at_].value != value) return false;
    ++at_;
    return true;
  }

  bool read_part(uint32_t part) {
    while (next_is(channel::DrawKind::more_operations, 1)) {
      if (at_ == draw_count_ || draws_[at_].kind != channel::DrawKind::operation ||
          count_ == kMostOperations) {
        return false;
      }
      const uint32_t first = at_++;
      while (at_ < draw_count_ && is_argument(draws_[at_].kind)) ++at_;
      operations_[count_++] = {first, at_, part};
    }
    return next_is(channel::DrawKind::more_operations, 0);
  }

  void write_part(uint32_t part, uint64_t kept, channel::Draws& to) const {
    for (uint32_t i = 0; i < count_; ++i) {
      if (operations_[i].part != part || (kept >> i & 1) == 0) continue;
      push(channel::DrawKind::more_operations, 1, to);
      for (uint32_t k = operations_[i].first; k < operations_[i].end; ++k) {
        to.list[to.count++] = draws_[k];
      }
    }
    push(channel::DrawKind::more_operations, 0, to);
  }

  static void push(channel::DrawKind kind, uint64_t value, channel::Draws& to) {
    to.list[to.count++] = {kind, {}, 0, 1, value};
  }

  const channel::Draw* draws_ = nullptr;
  uint32_t draw_count_ = 0;
  uint32_t at_ = 0;  // behind the scenario
  Operation operations_[kMostOperations];
  uint32_t count_ = 0;
  uint32_t threads_ = 0;
};

}  // namespace jostle
