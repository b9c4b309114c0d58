// SPDX-License-Identifier: Apache-2.0
#include "src/mutation/input_bytes.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace jostle {
namespace {

constexpr uint64_t kInteresting[] = {0,
                                     1,
                                     2,
                                     4,
                                     8,
                                     10,
                                     16,
                                     32,
                                     64,
                                     100,
                                     127,
                                     128,
                                     255,
                                     256,
                                     512,
                                     1000,
                                     1024,
                                     4096,
                                     32767,
                                     32768,
                                     65535,
                                     65536,
                                     100'000,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     0x100000000,
                                     INT64_MAX,
                                     1ull << 63,
                                     UINT64_MAX,
                                     UINT64_MAX - 1};

// Room for a comparison's operand as text.
constexpr size_t kMostText = 24;

class Editor {
 public:
  Editor(uint8_t* data, size_t size, size_t room, const InputHints& hints, Rng& rng)
      : data_(data), size_(std::min(size, room)), room_(room), hints_(hints), rng_(rng) {}

  size_t size() const { return size_; }

  void edit() {
    if (size_ == 0) return insert_random();
    // What the program compares is the best advice there is.
    if (hints_.feedback && rng_.below(3) == 0 && use_comparison()) return;
    switch (rng_.below(12)) {
      case 0:
        data_[any()] ^= static_cast<uint8_t>(1u << rng_.below(8));
        return;
      case 1:
      case 2:
        data_[any()] = random_byte();
        return;
      case 3:
      case 4:
        return add_to_number();
      case 5:
        return write_interesting();
      case 6:
        return change_digits();
      case 7:
        return erase_block();
      case 8:
        return insert_random();
      case 9:
        return copy_block();
      case 10:
        return swap_blocks();
      default:
        return hints_.other_size ? splice() : copy_block();
    }
  }

 private:
  size_t any() { return rng_.below(size_); }
  uint8_t random_byte() { return static_cast<uint8_t>(rng_.below(256)); }
  size_t block_length(size_t most) {
    return most == 0 ? 0 : 1 + rng_.below(std::min(most, size_t{1} << (1 + rng_.below(6))));
  }

  uint64_t load(size_t at, size_t width, bool reversed) const {
    uint64_t value = 0;
    for (size_t i = 0; i < width; ++i) {
      value |= uint64_t{data_[at + (reversed ? width - 1 - i : i)]} << 8 * i;
    }
    return value;
  }
  void store(size_t at, size_t width, bool reversed, uint64_t value) {
    for (size_t i = 0; i < width; ++i) {
      data_[at + (reversed ? width - 1 - i : i)] = static_cast<uint8_t>(value >> 8 * i);
    }
  }
  // 1, 2, 4 or 8, as far as the input goes.
  size_t any_width() {
    size_t width = size_t{1} << rng_.below(4);
    while (width > size_) width /= 2;
    return width;
  }

  void add_to_number() {
    const size_t width = any_width(), at = rng_.below(size_ - width + 1);
    const bool reversed = rng_.below(2);
    const uint64_t by = 1 + rng_.below(35);
    const uint64_t value = load(at, width, reversed);
    store(at, width, reversed, rng_.below(2) ? value + by : value - by);
  }

  void write_interesting() {
    const size_t width = any_width(), at = rng_.below(size_ - width + 1);
    store(at, width, rng_.below(2), kInteresting[rng_.below(std::size(kInteresting))]);
  }

  // A number in decimal becomes another one.
  void change_digits() {
    const size_t start = any();
    size_t from = size_;
    for (size_t i = 0; i < size_ && from == size_; ++i) {
      const size_t at = (start + i) % size_;
      if (data_[at] >= '0' && data_[at] <= '9') from = at;
    }
    if (from == size_) {
      data_[start] = static_cast<uint8_t>('0' + rng_.below(10));
      return;
    }
    size_t to = from;
    uint64_t value = 0;
    for (; to < size_ && data_[to] >= '0' && data_[to] <= '9' && to - from < 18; ++to) {
      value = value * 10 + (data_[to] - '0');
    }
    switch (rng_.below(4)) {
      case 0:
        value += 1;
        break;
      case 1:
        value -= value != 0;
        break;
      case 2:
        value = rng_.below(value * 2 + 10);
        break;
      default:
        value = kInteresting[rng_.below(std::size(kInteresting))];
    }
    char text[kMostText];
    const int length = snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(value));
    replace(from, to - from, reinterpret_cast<const uint8_t*>(text), static_cast<size_t>(length));
  }

  // Where `old` bytes were there are `fresh_size` others now, if there is room.
  bool replace(size_t at, size_t old, const uint8_t* fresh, size_t fresh_size) {
    if (size_ - old + fresh_size > room_) return false;
    memmove(data_ + at + fresh_size, data_ + at + old, size_ - at - old);
    if (fresh_size) memcpy(data_ + at, fresh, fresh_size);
    size_ = size_ - old + fresh_size;
    return true;
  }

  void erase_block() {
    const size_t at = any(), length = block_length(size_ - at);
    replace(at, length, nullptr, 0);
  }

  void insert_random() {
    uint8_t block[64];
    const size_t length = block_length(std::min(room_ - size_, sizeof block));
    if (length == 0) return;
    const bool same = rng_.below(2);
    const uint8_t byte = random_byte();
    for (size_t i = 0; i < length; ++i) block[i] = same ? byte : random_byte();
    replace(rng_.below(size_ + 1), 0, block, length);
  }

  void copy_block() {
    uint8_t block[64];
    const size_t from = any();
    const size_t length = block_length(std::min(size_ - from, sizeof block));
    memcpy(block, data_ + from, length);
    const size_t to = any();
    replace(to, rng_.below(2) ? 0 : std::min(length, size_ - to), block, length);
  }

  void swap_blocks() {
    const size_t length = block_length(size_ / 2);
    if (length == 0) return;
    const size_t a = rng_.below(size_ - length + 1), b = rng_.below(size_ - length + 1);
    if (a + length > b && b + length > a) return;
    std::swap_ranges(data_ + a, data_ + a + length, data_ + b);
  }

  void splice() {
    const size_t from = rng_.below(hints_.other_size);
    const size_t length = 1 + rng_.below(hints_.other_size - from);
    const size_t at = rng_.below(size_ + 1);
    const size_t old = rng_.below(2) ? 0 : std::min(length, size_ - at);
    replace(at, old, hints_.other + from, std::min(length, room_ - (size_ - old)));
  }

  // ---- what the program compared

  bool use_comparison() {
    const Feedback& feedback = *hints_.feedback;
    for (int attempt = 0; attempt < 24; ++attempt) {
      if (rng_.below(4) == 0) {
        const ComparedText& text = any_filled(
            feedback.texts, [](const ComparedText& one) { return one.left_size + one.right_size; });
        if (text.left_size + text.right_size && use_text(text)) return true;
        continue;
      }
      const Comparison& comparison =
          any_filled(feedback.comparisons, [](const Comparison& one) { return one.place; });
      if (comparison.place == 0 || comparison.left == comparison.right) continue;
      if (use_operands(comparison)) return true;
    }
    return false;
  }

  // One that is not empty, if there is any: the tables are seldom full.
  template <typename T, size_t kCount, typename Used>
  const T& any_filled(const T (&table)[kCount], Used used) {
    const uint64_t start = rng_.below(kCount);
    for (uint64_t i = 0; i < kCount; ++i) {
      const T& one = table[(start + i) % kCount];
      if (used(one)) return one;
    }
    return table[start];
  }

  bool use_operands(const Comparison& comparison) {
    uint64_t from = comparison.left, to = comparison.right;
    if (rng_.below(2)) std::swap(from, to);
    // "less than" wants a value beside the other one.
    const uint64_t shift = rng_.below(4);
    if (shift == 1) ++to;
    if (shift == 2) --to;
    if (replace_digits(from, to)) return true;
    for (size_t width = comparison.size; width > 0; width /= 2) {
      if (width > size_ || (width < 8 && from >> 8 * width != 0 && !is_negative(from, width))) {
        continue;
      }
      const bool reversed = width > 1 && rng_.below(2);
      const size_t start = rng_.below(size_ - width + 1);
      const uint64_t wanted = width == 8 ? from : from & ((uint64_t{1} << 8 * width) - 1);
      for (size_t i = 0; i <= size_ - width; ++i) {
        const size_t at = (start + i) % (size_ - width + 1);
        if (load(at, width, reversed) != wanted) continue;
        store(at, width, reversed, to);
        return true;
      }
    }
    if (rng_.below(8) != 0) return false;
    // It was computed from the input: perhaps it helps somewhere as it is, or as a number in text.
    if (rng_.below(2)) {
      char text[kMostText];
      const int length = snprintf(text, sizeof text, "%lld", static_cast<long long>(to));
      return replace(rng_.below(size_ + 1), 0, reinterpret_cast<uint8_t*>(text),
                     static_cast<size_t>(length));
    }
    const size_t width = std::min<size_t>(comparison.size, size_);
    store(rng_.below(size_ - width + 1), width, rng_.below(2), to);
    return true;
  }

  static bool is_negative(uint64_t value, size_t width) {
    return (value >> (8 * width - 1)) == UINT64_MAX >> (8 * width - 1);
  }

  // The operand as it stands in a text input.
  bool replace_digits(uint64_t from, uint64_t to) {
    char old_text[kMostText], new_text[kMostText];
    const bool negative = static_cast<int64_t>(to) < 0;
    const int old_length =
        snprintf(old_text, sizeof old_text, "%lld", static_cast<long long>(from));
    const int new_length =
        negative && rng_.below(2)
            ? snprintf(new_text, sizeof new_text, "%llu", static_cast<unsigned long long>(to))
            : snprintf(new_text, sizeof new_text, "%lld", static_cast<long long>(to));
    return replace_found(reinterpret_cast<uint8_t*>(old_text), static_cast<size_t>(old_length),
                         reinterpret_cast<uint8_t*>(new_text), static_cast<size_t>(new_length));
  }

  bool replace_found(const uint8_t* old, size_t old_size, const uint8_t* fresh, size_t fresh_size) {
    if (old_size == 0 || old_size > size_) return false;
    const size_t places = size_ - old_size + 1, start = rng_.below(places);
    for (size_t i = 0; i < places; ++i) {
      const size_t at = (start + i) % places;
      if (memcmp(data_ + at, old, old_size) == 0) return replace(at, old_size, fresh, fresh_size);
    }
    return false;
  }

  bool use_text(const ComparedText& text) {
    const bool swap = rng_.below(2);
    const uint8_t* from = swap ? text.right : text.left;
    const uint8_t* to = swap ? text.left : text.right;
    const size_t from_size = swap ? text.right_size : text.left_size;
    const size_t to_size = swap ? text.left_size : text.right_size;
    if (replace_found(from, from_size, to, to_size)) return true;
    // As a word of a dictionary, over what is there or between.
    const size_t at = rng_.below(size_ + 1);
    return replace(at, rng_.below(2) ? 0 : std::min(to_size, size_ - at), to, to_size);
  }

  uint8_t* data_;
  size_t size_, room_;
  const InputHints& hints_;
  Rng& rng_;
};

}  // namespace

size_t mutate_input(uint8_t* data, size_t size, size_t room, const InputHints& hints, Rng& rng) {
  if (room == 0) return 0;
  Editor editor(data, size, room, hints, rng);
  // Mostly one edit, now and then many.
  for (uint64_t edits = uint64_t{1} << rng.below(rng.below(3) ? 2 : 5); edits > 0; --edits) {
    editor.edit();
  }
  return editor.size();
}

}  // namespace jostle
