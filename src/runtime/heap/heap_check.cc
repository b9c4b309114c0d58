// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/heap/heap_check.h"

#include <stdio.h>

#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/heap_blocks.h"
#include "src/runtime/heap/heap_failure.h"
#include "src/runtime/heap/heap_history.h"
#include "src/runtime/memory/stack_check.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT bool g_heap_checked = false;
JOSTLE_KEPT uintptr_t g_heap_begin = 0;
JOSTLE_KEPT uintptr_t g_heap_size = 0;

namespace {

using namespace heap;

// How far back a block's beginning is looked for. What lies deeper in a block is taken for valid.
constexpr uintptr_t kFarthest = 1 << 18;

struct KnownPage {
  uintptr_t header;  // of a block on it
  uintptr_t bare_page;
  uint32_t run;
};
constexpr uintptr_t kKnownPages = 512;
JOSTLE_KEPT KnownPage g_known_pages[kKnownPages];
JOSTLE_KEPT uint32_t g_known_run = 0;

// Does the block behind this header, or the header itself, reach to the address?
inline bool reaches(uintptr_t at, uintptr_t address) {
  const auto* header = reinterpret_cast<const Header*>(at);
  return (header->state == kLive || header->state == kFreed) && header->size_class < kClasses &&
         address < at + sizeof(Header) + capacity_of(header->size_class);
}

// All of its page is deep in one block.
bool is_page_bare(uintptr_t address) {
  const uintptr_t page = address & ~uintptr_t{4095};
  return page >= reinterpret_cast<uintptr_t>(g_control) &&
         page + 4096 <= reinterpret_cast<uintptr_t>(g_control->next) &&
         g_control->blocks.is_bare(page);
}

// The block whose header or memory is at `address`; null: none, or it is too far.
inline const Header* header_at(uintptr_t address) {
  // Mostly it is the block that was asked for last on this page, or there is none so far back.
  KnownPage& known = g_known_pages[(address >> 12) % kKnownPages];
  if (known.header && known.header <= address && reaches(known.header, address)) {
    return reinterpret_cast<const Header*>(known.header);
  }
  if (known.bare_page == address >> 12 && known.run == g_known_run) return nullptr;
  const uintptr_t found = g_control->blocks.find(
      address, kFarthest, [address](uintptr_t at) { return reaches(at, address); });
  if (found) {
    known.header = found;
  } else if (is_page_bare(address)) {
    known.bare_page = address >> 12;
    known.run = g_known_run;
  }
  return reinterpret_cast<const Header*>(found);
}

bool is_handed_out(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(g_control) + kFirstBlock &&
         address < reinterpret_cast<uintptr_t>(g_control->next);
}

// The block that somebody meant who touched `address` outside of all: the nearer of the two.
const Header* nearest(uintptr_t address) {
  const auto first = reinterpret_cast<uintptr_t>(g_control) + kFirstBlock;
  const auto next = reinterpret_cast<uintptr_t>(g_control->next);
  if (address < first || next == first) return nullptr;
  if (address >= next) return address - next < kFarthest ? header_at(next - 1) : nullptr;
  const Header* here = header_at(address);
  if (!here || address >= begin_of(here)) return here;
  const auto at = reinterpret_cast<uintptr_t>(here);
  const Header* before = at > first ? header_at(at - 1) : nullptr;
  if (!before) return here;
  const uintptr_t end = begin_of(before) + before->size;
  return address - end <= begin_of(here) - address ? before : here;
}

}  // namespace

void begin_heap_check(const channel::Channel& channel) {
  g_heap_checked = (channel.config.checks & channel::kCheckHeap) != 0;
  ++g_known_run;
  const MemoryUse use = heap_use();
  g_heap_begin = reinterpret_cast<uintptr_t>(use.begin);
  g_heap_size = static_cast<uintptr_t>(use.end - use.begin);
  begin_stack_check(g_heap_checked);
}

HeapState heap_state(uintptr_t address, uintptr_t size) {
  if (!is_handed_out(address)) return HeapState::outside;
  const Header* header = header_at(address);
  if (!header) return HeapState::valid;
  const uintptr_t begin = begin_of(header);
  if (address < begin) return HeapState::outside;
  if (header->state == kFreed) return HeapState::freed;
  // Within one cell the whole of it belongs to the block.
  const bool in_one_cell = (address & 7) + size <= 8;
  const uintptr_t end = begin + (in_one_cell ? (header->size + 7) & ~uint64_t{7} : header->size);
  return address + size <= end ? HeapState::valid : HeapState::outside;
}

void check_heap_access(OpKind kind, uintptr_t address, uintptr_t size, uintptr_t pc) {
  // A wake-up looks at no memory: an unlock wakes by the address of a mutex that whoever got it
  // may have freed by now, and no more than a wake-up without a reason can come of it.
  if (kind == OpKind::futex_wake) return;
  const HeapState state = heap_state(address, size ? size : 1);
  if (state == HeapState::valid) return forget_mark(address);
  fail_heap_access(state == HeapState::freed ? "use after free" : "heap overflow", kind, address,
                   size, pc);
}

HeapBlock heap_block_of(uintptr_t address) {
  if (!is_handed_out(address)) return {};
  const Header* header = header_at(address);
  if (!header || address < begin_of(header)) return {};
  return {begin_of(header), header->pc, header->thread, header->ordinal};
}

bool describe_heap_address(uintptr_t address, channel::ObjectRecord& object) {
  if (!in_heap(address)) return false;
  const Header* header = nearest(address);
  if (!header) return false;
  object.region = channel::Region::heap;
  object.thread = header->thread;
  object.offset = address - begin_of(header) - bytes_before(header);
  object.size = asked_size(header);
  object.freed = header->state == kFreed;
  object.freed_by = kNoThread;
  object.allocated_at.depth = header->pc ? 1 : 0;
  object.allocated_at.pc[0] = header->pc;
  g_heap_history.describe(begin_of(header), object);
  return true;
}

}  // namespace jostle::rt
