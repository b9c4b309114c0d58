// SPDX-License-Identifier: Apache-2.0
// What the target's heap looks like inside: for heap.cc, which hands blocks out, and heap_check.cc,
// which says what an address in it is.
//
// Blocks lie one behind the other, each behind a header. Nothing of a header or of a block's unused
// end belongs to the program: together they are the red zone between blocks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/base/kept.h"
#include "src/runtime/heap/block_map.h"

namespace jostle::rt::heap {

inline constexpr uint32_t kLive = 0x4A53544C;
inline constexpr uint32_t kFreed = 0x46524545;
// An aligned block: `size` is the distance to its start.
inline constexpr uint32_t kMoved = 0x414C4947;

// In front of every block; 32 bytes keep blocks 16-byte aligned.
struct Header {
  uint64_t size;  // what was asked for, and of an aligned block what lies before it
  uint32_t state;
  uint16_t size_class;
  uint16_t is_reached : 1;     // while leaks are looked for
  uint16_t steps_before : 15;  // of 16 bytes, before an aligned block; 0 if there are too many
  uintptr_t pc;                // who allocated it
  uint32_t thread;             // its index
  uint32_t ordinal;            // see allocation_ordinal
};
static_assert(sizeof(Header) == 32);

struct FreeBlock {
  FreeBlock* next;
};

// Up to 1 KiB in steps of 16; above that four classes per doubling.
inline constexpr size_t kSmallLimit = 1024;
inline constexpr uint32_t kSmallClasses = kSmallLimit / 16;
inline constexpr uint32_t kClasses = kSmallClasses + 4 * 40;

// At the start of the arena.
struct Control {
  char* next;
  char* end;       // of what can be handed out
  char* reserved;  // of the whole mapping
  size_t live;     // bytes of blocks that are handed out
  size_t limit;    // that many may be
  BlockMap blocks;
  // Freed blocks that are not used again yet, the oldest first.
  FreeBlock* oldest;
  FreeBlock* newest;
  size_t waiting;  // bytes of memory that they hold
  FreeBlock* free[kClasses];
};
inline constexpr size_t kFirstBlock = (sizeof(Control) + 63) & ~size_t{63};

// Null until something was allocated.
extern JOSTLE_HIDDEN Control* g_control;

inline uint32_t class_of(size_t size) {
  if (size <= kSmallLimit) return size ? static_cast<uint32_t>((size - 1) / 16) : 0;
  const int log = std::bit_width(size - 1) - 1;  // 2^log < size <= 2^(log+1)
  const size_t quarter = size_t{1} << (log - 2);
  const auto step = static_cast<uint32_t>((size - 1 - (size_t{1} << log)) / quarter);
  return kSmallClasses + 4 * static_cast<uint32_t>(log - 10) + step;
}

inline size_t capacity_of(uint32_t size_class) {
  if (size_class < kSmallClasses) return (size_class + 1) * size_t{16};
  const uint32_t log = (size_class - kSmallClasses) / 4 + 10;
  const uint32_t step = (size_class - kSmallClasses) % 4;
  return (size_t{1} << log) + (step + 1) * (size_t{1} << (log - 2));
}

inline Header* header_of(void* block) { return static_cast<Header*>(block) - 1; }
inline uintptr_t begin_of(const Header* header) { return reinterpret_cast<uintptr_t>(header + 1); }

// What the program got: an aligned block begins later.
inline uint64_t bytes_before(const Header* header) { return header->steps_before * uint64_t{16}; }
inline uint64_t asked_size(const Header* header) { return header->size - bytes_before(header); }

// The block that an aligned pointer was cut out of.
inline Header* origin_of(Header* header) {
  if (header->state != kMoved) return header;
  return header_of(reinterpret_cast<char*>(header + 1) - header->size);
}

}  // namespace jostle::rt::heap
