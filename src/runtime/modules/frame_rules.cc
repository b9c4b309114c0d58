// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/modules/frame_rules.h"

#include <string.h>

namespace jostle::rt {
namespace {

// Reads what linkers have checked: a bad form is noticed, a lie about lengths is not.
class Reader {
 public:
  Reader(uintptr_t begin, uintptr_t end) : at_(begin), end_(end) {}

  bool any() const { return at_ < end_; }
  uintptr_t at() const { return at_; }
  void skip(uint64_t bytes) { at_ += bytes; }
  template <typename T>
  T fixed() {
    T value;
    memcpy(&value, reinterpret_cast<const void*>(at_), sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t unsigned_number() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
  }
  int64_t signed_number() {
    uint64_t value = 0;
    for (int shift = 0;;) {
      const auto byte = fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if (byte & 0x80) continue;
      if (shift < 64 && (byte & 0x40)) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }

 private:
  uintptr_t at_, end_;
};

// What all functions of a compilation unit have in common.
struct Common {
  bool known = false;
  uint64_t code_unit = 0;
  int64_t data_unit = 0;
  uintptr_t instructions = 0, end = 0;
};

constexpr uint8_t kRelativeToItself = 0x1b;  // of four bytes, signed

Common read_common(uintptr_t entry) {
  Common common;
  Reader reader(entry, UINTPTR_MAX);
  const auto length = reader.fixed<uint32_t>();
  common.end = reader.at() + length;
  if (length == 0 || length == UINT32_MAX || reader.fixed<uint32_t>() != 0) return common;
  const auto version = reader.fixed<uint8_t>();
  if (version != 1 && version != 3) return common;
  const char* augmentation = reinterpret_cast<const char*>(reader.at());
  reader.skip(strlen(augmentation) + 1);
  common.code_unit = reader.unsigned_number();
  common.data_unit = reader.signed_number();
  const uint64_t return_register =
      version == 1 ? reader.fixed<uint8_t>() : reader.unsigned_number();
  if (frame_register(return_register) != kReturnAddress || augmentation[0] != 'z') return common;
  const uint64_t more = reader.unsigned_number();
  common.instructions = reader.at() + more;
  bool is_relative = false;
  for (const char* kind = augmentation + 1; *kind; ++kind) {
    if (*kind == 'R') {
      is_relative = reader.fixed<uint8_t>() == kRelativeToItself;
    } else if (*kind == 'L') {
      reader.skip(1);
    } else if (*kind == 'P') {
      // The personality routine, of four or eight bytes.
      const auto form = reader.fixed<uint8_t>() & 0x0f;
      if (form != 0x0b && form != 0x03 && form != 0x00 && form != 0x04 && form != 0x0c)
        return common;
      reader.skip(form == 0x0b || form == 0x03 ? 4 : 8);
    } else {
      return common;  // a signal's frame, signed return addresses
    }
  }
  common.known = is_relative;
  return common;
}

// Executes instructions until the location is behind `until`, counted from the function's begin.
class Machine {
 public:
  Machine(const Common& common, uint64_t until) : common_(common), until_(until) {
    for (int16_t& each : rules_.saved) each = FrameRules::kUnchanged;
  }

  bool run(uintptr_t begin, uintptr_t end) {
    Reader reader(begin, end);
    while (reader.any() && location_ <= until_) {
      if (!execute(reader)) return false;
    }
    return true;
  }
  void begin_function() { initial_ = rules_; }
  const FrameRules& rules() const { return rules_; }

 private:
  bool execute(Reader& reader) {
    const auto code = reader.fixed<uint8_t>();
    const uint64_t operand = code & 0x3f;
    switch (code & 0xc0) {
      case 0x40:
        return advance(operand);
      case 0x80:
        return save(operand, reader.unsigned_number() * common_.data_unit);
      case 0xc0:
        return restore(operand);
      default:
        return execute_long(code, reader);
    }
  }

  bool execute_long(uint8_t code, Reader& reader) {
    switch (code) {
      case 0x00:  // nothing
        return true;
      case 0x02:
        return advance(reader.fixed<uint8_t>());
      case 0x03:
        return advance(reader.fixed<uint16_t>());
      case 0x04:
        return advance(reader.fixed<uint32_t>());
      case 0x05: {
        const uint64_t number = reader.unsigned_number();
        return save(number, reader.unsigned_number() * common_.data_unit);
      }
      case 0x06:
        return restore(reader.unsigned_number());
      case 0x07:
        return set(reader.unsigned_number(), FrameRules::kGone);
      case 0x08:
        return set(reader.unsigned_number(), FrameRules::kUnchanged);
      case 0x0a:
        if (depth_ == kMostKept) return false;
        kept_[depth_++] = rules_;
        return true;
      case 0x0b:
        if (depth_ == 0) return false;
        rules_ = kept_[--depth_];
        return true;
      case 0x0c: {
        const uint64_t number = reader.unsigned_number();
        return set_base(number) && set_size(reader.unsigned_number());
      }
      case 0x0d:
        return set_base(reader.unsigned_number());
      case 0x0e:
        return set_size(reader.unsigned_number());
      case 0x10:  // by an expression: of no interest if the register is not
      case 0x16: {
        const bool ours = frame_register(reader.unsigned_number()) >= 0;
        reader.skip(reader.unsigned_number());
        return !ours;
      }
      case 0x11: {
        const uint64_t number = reader.unsigned_number();
        return save(number, reader.signed_number() * common_.data_unit);
      }
      case 0x2e:  // the size of arguments
        reader.unsigned_number();
        return true;
      default:
        return false;
    }
  }

  bool advance(uint64_t units) {
    location_ += units * common_.code_unit;
    return true;
  }
  bool set(uint64_t number, int64_t place) {
    if (const int i = frame_register(number); i >= 0) rules_.saved[i] = static_cast<int16_t>(place);
    return true;
  }
  bool save(uint64_t number, int64_t place) {
    return frame_register(number) < 0 ||
           (place > INT16_MIN && place < FrameRules::kGone && set(number, place));
  }
  bool restore(uint64_t number) {
    if (const int i = frame_register(number); i >= 0) rules_.saved[i] = initial_.saved[i];
    return true;
  }
  bool set_base(uint64_t number) {
    const int i = frame_register(number);
    rules_.base = static_cast<uint8_t>(i);
    return i >= 0;
  }
  bool set_size(uint64_t size) {
    rules_.size = static_cast<int32_t>(size);
    return size <= INT32_MAX;
  }

  static constexpr int kMostKept = 4;
  const Common& common_;
  uint64_t until_;
  uint64_t location_ = 0;
  FrameRules rules_, initial_;
  FrameRules kept_[kMostKept];
  int depth_ = 0;
};

}  // namespace

FrameRules frame_rules(uintptr_t description, uintptr_t instruction) {
  Reader reader(description, UINTPTR_MAX);
  const auto length = reader.fixed<uint32_t>();
  if (length == 0 || length == UINT32_MAX) return {};
  const uintptr_t end = reader.at() + length;
  const uintptr_t here = reader.at();
  const Common common = read_common(here - reader.fixed<uint32_t>());
  if (!common.known) return {};
  const uintptr_t place = reader.at();
  const uintptr_t begin = place + static_cast<uintptr_t>(int64_t{reader.fixed<int32_t>()});
  if (instruction < begin || instruction - begin >= reader.fixed<uint32_t>()) return {};
  reader.skip(reader.unsigned_number());  // where exceptions are handled
  Machine machine(common, instruction - begin);
  if (!machine.run(common.instructions, common.end)) return {};
  machine.begin_function();
  if (!machine.run(reader.at(), end)) return {};
  FrameRules rules = machine.rules();
  rules.usable = true;
  return rules;
}

}  // namespace jostle::rt
