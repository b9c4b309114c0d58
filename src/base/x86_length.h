// SPDX-License-Identifier: Apache-2.0
// How long an instruction of x86-64 is, to know where instructions begin.
//
// What compilers and assemblers emit, with the prefixes of vector extensions (VEX, EVEX).
#pragma once

#include <cstddef>
#include <cstdint>

namespace jostle {
namespace x86 {

// What follows the opcode.
enum Form : uint8_t {
  kPlain,    // nothing
  kByte,     // one byte
  kWord,     // two
  kThree,    // three
  kLong,     // four, or two with the prefix 66
  kFull,     // as kLong; eight with REX.W
  kAddress,  // eight, or four with the prefix 67
  kUnknown,
  kModRm = 0x10,  // a ModRM byte, before the others
};

constexpr uint8_t form_of_one_byte(uint8_t op) {
  if (op < 0x40) {
    const uint8_t low = op & 7;
    return low < 4 ? kModRm : low == 4 ? kByte : low == 5 ? kLong : kUnknown;
  }
  if (op >= 0x50 && op < 0x60) return kPlain;
  if (op >= 0x70 && op < 0x80) return kByte;
  if (op >= 0x84 && op <= 0x8f) return kModRm;
  if (op >= 0x90 && op <= 0x9f) return op == 0x9a ? kUnknown : kPlain;
  if (op >= 0xa0 && op <= 0xa3) return kAddress;
  if (op >= 0xb0 && op <= 0xb7) return kByte;
  if (op >= 0xb8 && op <= 0xbf) return kFull;
  if (op >= 0xd8 && op <= 0xdf) return kModRm;
  if (op >= 0xe0 && op <= 0xe7) return kByte;
  switch (op) {
    case 0x63:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
    case 0xf6:
    case 0xf7:
    case 0xfe:
    case 0xff:
      return kModRm;
    case 0x68:
    case 0xa9:
    case 0xe8:
    case 0xe9:
      return kLong;
    case 0x69:
    case 0x81:
    case 0xc7:
      return kModRm | kLong;
    case 0x6a:
    case 0xa8:
    case 0xcd:
    case 0xeb:
      return kByte;
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
    case 0xc6:
      return kModRm | kByte;
    case 0xc2:
    case 0xca:
      return kWord;
    case 0xc8:
      return kThree;
    case 0x60:
    case 0x61:
    case 0x62:
    case 0x82:
    case 0xc4:
    case 0xc5:
    case 0xce:
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xea:
      return kUnknown;
    default:
      return kPlain;
  }
}

// Of the opcodes behind 0f.
constexpr uint8_t form_of_two_bytes(uint8_t op) {
  if (op >= 0x80 && op <= 0x8f) return kLong;
  if ((op >= 0x30 && op <= 0x37) || (op >= 0xc8 && op <= 0xcf)) return kPlain;
  if ((op >= 0x70 && op <= 0x73) || (op >= 0xc4 && op <= 0xc6)) return kModRm | kByte;
  switch (op) {
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0b:
    case 0x77:
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa8:
    case 0xa9:
    case 0xaa:
      return kPlain;
    case 0xa4:
    case 0xac:
    case 0xba:
    case 0xc2:
      return kModRm | kByte;
    case 0x04:
    case 0x0a:
    case 0x0c:
    case 0x0e:
    case 0x0f:
      return kUnknown;
    default:
      return kModRm;
  }
}

// A ModRM byte, and the SIB byte and displacement that it asks for; 0: it is cut off.
inline size_t length_of_operand(const uint8_t* code, size_t size) {
  if (size == 0) return 0;
  const uint8_t mode = code[0] >> 6, base = code[0] & 7;
  if (mode == 3) return 1;
  size_t length = 1;
  uint8_t addressed = base;
  if (base == 4) {
    if (size < 2) return 0;
    addressed = code[1] & 7;
    length = 2;
  }
  if (mode == 1) return length + 1;
  if (mode == 2 || addressed == 5) return length + 4;
  return length;
}

// What stands in place of legacy prefixes and 0f in vector instructions.
struct VectorPrefix {
  size_t length = 0;  // 0: it is none
  uint8_t map = 0;    // 1: opcodes behind 0f; 2: behind 0f 38; 3: behind 0f 3a; 5, 6: as 2
};
inline VectorPrefix vector_prefix(const uint8_t* code, size_t size) {
  if (size >= 2 && code[0] == 0xc5) return {2, 1};
  if (size >= 3 && code[0] == 0xc4) return {3, static_cast<uint8_t>(code[1] & 0x1f)};
  if (size >= 4 && code[0] == 0x62) return {4, static_cast<uint8_t>(code[1] & 7)};
  return {};
}

// Of what stands behind such a prefix; 0: it is not known, or cut off.
inline size_t length_behind(VectorPrefix prefix, const uint8_t* code, size_t size) {
  if (size == 0 || prefix.map == 0 || prefix.map == 4 || prefix.map > 6) return 0;
  const uint8_t form = prefix.map == 1   ? form_of_two_bytes(code[0])
                       : prefix.map == 3 ? kModRm | kByte
                                         : kModRm;
  if (form == kPlain) return 1;
  if (!(form & kModRm)) return 0;
  const size_t operand = length_of_operand(code + 1, size - 1);
  const size_t length = 1 + operand + (form & kByte);
  return operand == 0 || length > size ? 0 : length;
}

}  // namespace x86

// 0: it is not known, or cut off.
inline size_t x86_length(const uint8_t* code, size_t size) {
  if (const x86::VectorPrefix prefix = x86::vector_prefix(code, size); prefix.length != 0) {
    const size_t rest = x86::length_behind(prefix, code + prefix.length, size - prefix.length);
    return rest ? prefix.length + rest : 0;
  }
  size_t at = 0;
  bool is_short = false, is_wide = false, has_short_address = false;
  const auto left = [&] { return size - at; };
  for (; at < size; ++at) {
    const uint8_t byte = code[at];
    if (byte == 0x66) {
      is_short = true;
    } else if (byte == 0x67) {
      has_short_address = true;
    } else if (byte != 0xf0 && byte != 0xf2 && byte != 0xf3 && byte != 0x26 && byte != 0x2e &&
               byte != 0x36 && byte != 0x3e && byte != 0x64 && byte != 0x65) {
      break;
    }
  }
  if (at < size && (code[at] & 0xf0) == 0x40) is_wide = (code[at++] & 8) != 0;
  if (at >= size) return 0;
  const uint8_t opcode = code[at++];
  uint8_t form = x86::form_of_one_byte(opcode);
  if (opcode == 0x0f) {
    if (at >= size) return 0;
    const uint8_t second = code[at++];
    form = x86::form_of_two_bytes(second);
    if (second == 0x38 || second == 0x3a) {
      form = x86::kModRm | (second == 0x3a ? x86::kByte : x86::kPlain);
      ++at;
    }
  }
  if (at > size) return 0;
  // test has an operand more than its neighbours.
  if ((opcode == 0xf6 || opcode == 0xf7) && left() > 0 && (code[at] >> 3 & 7) < 2) {
    form |= opcode == 0xf6 ? x86::kByte : x86::kLong;
  }
  if (form & x86::kModRm) {
    const size_t operand = x86::length_of_operand(code + at, left());
    if (operand == 0) return 0;
    at += operand;
  }
  switch (form & ~x86::kModRm) {
    case x86::kByte:
      at += 1;
      break;
    case x86::kWord:
      at += 2;
      break;
    case x86::kThree:
      at += 3;
      break;
    // A call or jump has a distance of four bytes whatever its prefixes.
    case x86::kLong:
      at += is_short && opcode != 0xe8 && opcode != 0xe9 && opcode != 0x0f ? 2 : 4;
      break;
    case x86::kFull:
      at += is_wide ? 8 : is_short ? 2 : 4;
      break;
    case x86::kAddress:
      at += has_short_address ? 4 : 8;
      break;
    case x86::kUnknown:
      return 0;
    default:
      break;
  }
  return at <= size ? at : 0;
}

}  // namespace jostle
