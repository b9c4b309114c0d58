// SPDX-License-Identifier: Apache-2.0
#include "src/mutation/schedule_bytes.h"

#include <algorithm>

namespace jostle {
namespace {

// Runs of unknown length may well be longer than the schedule is.
constexpr size_t kBeyond = 16;

class Editor {
 public:
  Editor(uint8_t* data, size_t size, size_t room, size_t decisions, Rng& rng)
      : data_(data), size_(size), rng_(rng) {
    reach_ = std::min(room, decisions ? decisions : size + kBeyond);
    room_ = room;
    size_ = std::min(size_, room_);
  }

  size_t size() const { return size_; }

  void edit() {
    switch (rng_.below(8)) {
      case 0:
      case 1:
      case 2:
        return set(place(), number());
      case 3:
        return insert(place(), rng_.below(2) ? 0 : number());
      case 4:
        return erase(place());
      case 5:
        return move_switch();
      case 6:
        return renew_from(place());
      default:
        return clear_from(place());
    }
  }

 private:
  // What a schedule is kept for ends with its last switch, and nothing has been tried behind it:
  // every other edit is there, rather near than far.
  size_t place() {
    const size_t reach = reach_ ? reach_ : 1;
    if (rng_.below(2)) return rng_.below(reach);
    size_t behind = size_;
    while (behind > 0 && data_[behind - 1] == 0) --behind;
    const size_t at = behind + rng_.below(size_t{2} << rng_.below(6));
    return at < reach ? at : rng_.below(reach);
  }

  // There are seldom more than a few threads to choose from.
  uint8_t number() {
    const uint64_t kind = rng_.below(8);
    return static_cast<uint8_t>(kind < 4 ? 1 : kind < 7 ? rng_.below(4) : rng_.below(256));
  }

  void reach_to(size_t end) {
    for (; size_ < end && size_ < room_; ++size_) data_[size_] = 0;
  }

  void set(size_t at, uint8_t value) {
    reach_to(at + 1);
    if (at < size_) data_[at] = data_[at] == value ? 0 : value;
  }

  void insert(size_t at, uint8_t value) {
    if (at > size_) reach_to(at);
    if (at > size_ || size_ == room_) return;
    std::copy_backward(data_ + at, data_ + size_, data_ + size_ + 1);
    data_[at] = value;
    ++size_;
  }

  void erase(size_t at) {
    if (at >= size_) return;
    std::copy(data_ + at + 1, data_ + size_, data_ + at);
    --size_;
  }

  // A preemption a little earlier or later.
  void move_switch() {
    if (size_ < 2) return set(place(), number());
    const size_t from = rng_.below(size_);
    const size_t distance = 1 + rng_.below(3);
    const size_t to = rng_.below(2) ? from + distance : from - std::min(from, distance);
    reach_to(to + 1);
    if (to < size_) std::swap(data_[from], data_[to]);
  }

  void renew_from(size_t at) {
    // From a switch at every second decision to one at every thirty-second.
    const uint64_t rarity = uint64_t{2} << rng_.below(5);
    reach_to(reach_);
    for (size_t i = at; i < size_; ++i) data_[i] = rng_.below(rarity) == 0 ? number() : 0;
  }

  void clear_from(size_t at) { size_ = std::min(size_, at); }

  uint8_t* data_;
  size_t size_, room_, reach_;
  Rng& rng_;
};

}  // namespace

size_t mutate_schedule(uint8_t* data, size_t size, size_t room, size_t decisions, Rng& rng) {
  Editor editor(data, size, room, decisions, rng);
  // Mostly one: more spoil more than they bring.
  for (uint64_t edits = rng.below(4) ? 1 : 2 + rng.below(3); edits > 0; --edits) editor.edit();
  return editor.size();
}

size_t cross_schedules(const uint8_t* a, size_t a_size, const uint8_t* b, size_t b_size,
                       uint8_t* to, size_t room, Rng& rng) {
  const size_t cut = std::min(rng.below(a_size + 1), room);
  std::copy(a, a + cut, to);
  if (cut >= b_size) return cut;
  const size_t rest = std::min(b_size - cut, room - cut);
  std::copy(b + cut, b + cut + rest, to + cut);
  return cut + rest;
}

}  // namespace jostle
