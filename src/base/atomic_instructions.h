// SPDX-License-Identifier: Apache-2.0
// Atomic instructions in machine code, for what is not seen of a program: in instrumented code the
// compiler turns every atomic operation into a call of ours, so that such an instruction was
// written in inline assembly; in other libraries it says that they order threads by themselves.
//
// Loads and stores of a word, also with acquire and release order, look like plain ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "src/base/x86_length.h"

namespace jostle {

enum class Processor { aarch64, x86_64 };

#ifdef __aarch64__
inline constexpr Processor kThisProcessor = Processor::aarch64;
#else
inline constexpr Processor kThisProcessor = Processor::x86_64;
#endif

// stxr, stlxr, stxp, cas, casp; ldadd, ldset, swp, …
inline bool is_atomic_aarch64(uint32_t word) {
  constexpr uint32_t kLoad = 1U << 22, kOrdered = 1U << 23, kPairOrCompare = 1U << 21;
  if ((word & 0x3f000000) == 0x08000000) {
    if (word & kPairOrCompare) return true;
    return !(word & kLoad) && !(word & kOrdered);
  }
  return (word & 0x3f200c00) == 0x38200000;
}

// An instruction with the prefix lock, or an exchange with memory, which needs none. Not of the top
// of the stack: so barriers are written (lock orq $0, (%rsp)).
inline bool is_atomic_x86(const uint8_t* code, size_t size) {
  size_t at = 0;
  const auto next = [&] { return at < size ? code[at++] : uint8_t{0}; };
  bool is_locked = false;
  uint8_t byte = next();
  for (; byte == 0xf0 || byte == 0x66 || byte == 0xf2 || byte == 0xf3; byte = next()) {
    is_locked |= byte == 0xf0;
  }
  bool has_other_base = false;  // r12 instead of rsp
  if ((byte & 0xf0) == 0x40) {
    has_other_base = byte & 1;
    byte = next();
  }
  const bool is_exchange = byte == 0x86 || byte == 0x87;
  if (!is_exchange && !is_locked) return false;
  if (byte == 0x0f) next();
  const uint8_t operand = next();
  if (operand >> 6 == 3) return false;  // registers alone
  const bool is_on_stack = (operand & 7) == 4 && (next() & 7) == 4 && !has_other_base;
  return !is_on_stack;
}

// Instructions of aarch64 are words: the first that `matches` at or after the offset `from`; `size`
// when there is none.
template <typename Matches>
size_t next_word(const uint8_t* code, size_t size, size_t from, Matches&& matches) {
  for (size_t at = (from + 3) / 4 * 4; at + 4 <= size; at += 4) {
    uint32_t word;
    memcpy(&word, code + at, sizeof word);
    if (matches(word)) return at;
  }
  return size;
}

// The same for x86-64, where an instruction has to begin at `from`.
template <typename Matches>
size_t next_of_any_length(const uint8_t* code, size_t size, size_t from, Matches&& matches) {
  for (size_t at = from; at < size;) {
    if (matches(code + at, size - at)) return at;
    const size_t length = x86_length(code + at, size - at);
    at += length ? length : 1;
  }
  return size;
}

// Where the instruction behind the one at `at` begins.
inline size_t behind_instruction(const uint8_t* code, size_t size, size_t at, Processor processor) {
  if (processor == Processor::aarch64) return at + 4;
  const size_t length = x86_length(code + at, size - at);
  return at + (length ? length : 1);
}

// The first one at or after the offset `from`, where an instruction begins; `size` when there is
// none.
inline size_t next_atomic_instruction(const uint8_t* code, size_t size, size_t from,
                                      Processor processor) {
  if (processor == Processor::aarch64) return next_word(code, size, from, is_atomic_aarch64);
  return next_of_any_length(code, size, from, is_atomic_x86);
}

// Likewise of the processor's own counter of time, which is real: mrs …, cntvct_el0; rdtsc, rdtscp.
inline size_t next_counter_instruction(const uint8_t* code, size_t size, size_t from,
                                       Processor processor) {
  if (processor == Processor::aarch64) {
    return next_word(code, size, from,
                     [](uint32_t word) { return (word & 0xffffffe0) == 0xd53be040; });
  }
  return next_of_any_length(code, size, from, [](const uint8_t* at, size_t left) {
    if (left < 2 || at[0] != 0x0f) return false;
    return at[1] == 0x31 || (at[1] == 0x01 && left > 2 && at[2] == 0xf9);
  });
}

}  // namespace jostle
