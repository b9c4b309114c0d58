// SPDX-License-Identifier: Apache-2.0
// Atomic instructions in machine code, for what is not seen of a program: in instrumented code the
// compiler turns every atomic operation into a call of ours, so that such an instruction was
// written in inline assembly; in other libraries it says that they order threads by themselves.
//
// Loads and stores of a word, also with acquire and release order, are not told from plain ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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

// lock cmpxchg, lock xadd, lock cmpxchg8b. Others with this prefix are also how barriers are
// written.
inline bool is_atomic_x86(const uint8_t* code, size_t size) {
  size_t at = 0;
  const auto next = [&] { return at < size ? code[at++] : uint8_t{0}; };
  if (next() != 0xf0) return false;
  uint8_t byte = next();
  if (byte == 0x66) byte = next();
  if ((byte & 0xf0) == 0x40) byte = next();
  if (byte != 0x0f) return false;
  byte = next();
  return byte == 0xb0 || byte == 0xb1 || byte == 0xc0 || byte == 0xc1 || byte == 0xc7;
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

// The first one at or after the offset `from`; `size` when there is none.
inline size_t next_atomic_instruction(const uint8_t* code, size_t size, size_t from,
                                      Processor processor) {
  if (processor == Processor::aarch64) return next_word(code, size, from, is_atomic_aarch64);
  for (size_t at = from; at < size; ++at) {
    const void* found = memchr(code + at, 0xf0, size - at);
    if (!found) return size;
    at = static_cast<size_t>(static_cast<const uint8_t*>(found) - code);
    if (is_atomic_x86(code + at, size - at)) return at;
  }
  return size;
}

// The processor's own counter of time, which is real: mrs …, cntvct_el0; rdtsc, rdtscp. On x86
// bytes of other instructions may look like one.
inline size_t next_counter_instruction(const uint8_t* code, size_t size, size_t from,
                                       Processor processor) {
  if (processor == Processor::aarch64) {
    return next_word(code, size, from,
                     [](uint32_t word) { return (word & 0xffffffe0) == 0xd53be040; });
  }
  for (size_t at = from; at + 1 < size; ++at) {
    if (code[at] != 0x0f) continue;
    if (code[at + 1] == 0x31) return at;
    if (code[at + 1] == 0x01 && at + 2 < size && code[at + 2] == 0xf9) return at;
  }
  return size;
}

}  // namespace jostle
