// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/heap/heap.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/in_handler.h"
#include "src/runtime/fiber/clean_stack.h"
#include "src/runtime/heap/heap_blocks.h"
#include "src/runtime/heap/heap_failure.h"
#include "src/runtime/heap/heap_history.h"
#include "src/runtime/image/image.h"
#include "src/runtime/libc/real.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/scheduler/scheduler.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace jostle::rt {

heap::Control* heap::g_control = nullptr;

using namespace heap;

namespace {

constexpr uintptr_t kBase = 0x6000'0000'0000;
constexpr size_t kReserve = size_t{64} << 30;
constexpr size_t kSmallestReserve = size_t{256} << 20;
constexpr size_t kGiveBack = size_t{1} << 20;  // freed blocks of this size return their pages

// Sizes of the buffers that libc allocates for the kernel.
constexpr size_t kKernelBuffer = 512;
constexpr size_t kLargestKernelBuffer = 64 * 1024;

// Freed blocks are not used again until so much was freed after them: who still uses one is found
// out. Bounded, because a run costs what it touches.
constexpr size_t kMostWaiting = 256 * 1024;
JOSTLE_KEPT bool g_reuses_at_once = false;
// Of a freed block's cells that are marked. The rest of a larger one is found out only by accesses
// that do not take the fast path.
constexpr size_t kMostMarked = size_t{1} << 20;

bool reserve() {
  for (size_t size = kReserve / g_reserve_divisor; size >= kSmallestReserve; size /= 2) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* p = REAL(mmap)(reinterpret_cast<void*>(kBase), size, PROT_READ | PROT_WRITE,
                         flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED) {
      p = REAL(mmap)(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    }
    if (p == MAP_FAILED) continue;
    g_control = static_cast<Control*>(p);
    g_control->next = static_cast<char*>(p) + kFirstBlock;
    g_control->reserved = static_cast<char*>(p) + size;
    g_control->limit = SIZE_MAX;
    // The map of blocks lies behind them: it is no part of what is rewound.
    g_control->end = g_control->reserved - size / BlockMap::kBytesPerByte;
    g_control->blocks.attach(reinterpret_cast<uint64_t*>(g_control->end),
                             reinterpret_cast<uintptr_t>(p));
    return true;
  }
  return false;
}

bool plausible(const void* block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  return g_control && address % 16 == 0 &&
         address >= reinterpret_cast<uintptr_t>(g_control) + sizeof(Control) &&
         address < reinterpret_cast<uintptr_t>(g_control->next);
}

// What a waiting block costs: of large ones the pages are given back.
size_t held_by(const Header* header) {
  const size_t capacity = capacity_of(header->size_class);
  return sizeof(Header) + (capacity >= kGiveBack ? 4096 : capacity);
}

// Not asked of what headers and free blocks say of each other: the program may have written there.
[[maybe_unused]] bool lies_in_arena(const void* block) {
  const auto* at = static_cast<const char*>(block);
  return at >= reinterpret_cast<char*>(g_control) + kFirstBlock + sizeof(Header) &&
         at < g_control->next && reinterpret_cast<uintptr_t>(at) % 16 == 0;
}

void end_wait_of_oldest() {
  FreeBlock* block = g_control->oldest;
  JOSTLE_CHECK(block != nullptr);
  g_control->oldest = block->next;
  if (!g_control->oldest) g_control->newest = nullptr;
  const Header* header = header_of(block);
  g_control->waiting -= held_by(header);
  block->next = g_control->free[header->size_class];
  g_control->free[header->size_class] = block;
}

void let_wait(FreeBlock* block) {
  JOSTLE_CHECK(lies_in_arena(block) && header_of(block)->state == kFreed);
  JOSTLE_CHECK_EQ(g_control->oldest == nullptr, g_control->newest == nullptr);
  block->next = nullptr;
  (g_control->newest ? g_control->newest->next : g_control->oldest) = block;
  g_control->newest = block;
  g_control->waiting += held_by(header_of(block));
  while (g_control->oldest && (g_reuses_at_once || (g_control->waiting > kMostWaiting &&
                                                    g_control->oldest != g_control->newest))) {
    end_wait_of_oldest();
  }
}

// The red zones around a block, so that no access to them takes the fast path: its header, its
// unused end, and the next block's header, which need not be there yet.
void mark_surroundings(const Header* header, uintptr_t block, size_t size) {
  mark(block - sizeof(Header), sizeof(Header));
  const uintptr_t end = (block + size + 7) & ~uintptr_t{7};
  const uintptr_t next = begin_of(header) + capacity_of(header->size_class) + sizeof(Header);
  JOSTLE_CHECK_LE(end + sizeof(Header), next);
  const size_t zone = next - end;
  mark(end, zone < kMostMarked ? zone : sizeof(Header));
}

char* carve(uint32_t size_class) {
  const size_t bytes = capacity_of(size_class) + sizeof(Header);
  while (static_cast<size_t>(g_control->end - g_control->next) < bytes) {
    if (!g_control->oldest || g_control->free[size_class]) return nullptr;
    end_wait_of_oldest();
  }
  g_control->blocks.add(reinterpret_cast<uintptr_t>(g_control->next));
  char* block = g_control->next + sizeof(Header);
  g_control->next += bytes;
  JOSTLE_CHECK_LE(g_control->next, g_control->end);
  return block;
}

void* take(size_t size) {
  const uint32_t size_class = class_of(size);
  if (size_class >= kClasses) return nullptr;
  if (g_control->live + capacity_of(size_class) > g_control->limit) [[unlikely]]
    return nullptr;
  char* block = g_control->free[size_class] ? nullptr : carve(size_class);
  if (!block) {
    FreeBlock* head = g_control->free[size_class];
    if (!head) return nullptr;
    g_control->free[size_class] = head->next;
    block = reinterpret_cast<char*>(head);
    // libc's own buffers, which the kernel fills without a hook: streams, directories, time zones.
    if (size >= kKernelBuffer && size <= kLargestKernelBuffer) image_open(block, size);
  }
  JOSTLE_CHECK_LE(size, capacity_of(size_class));
  g_control->live += capacity_of(size_class);
  JOSTLE_CHECK_LE(g_control->live, g_control->limit);
  *header_of(block) = {size, kLive, static_cast<uint16_t>(size_class), 0, 0, 0, 0, 0};
  return block;
}

}  // namespace

void* heap_allocate(size_t size, size_t alignment, uintptr_t pc) {
  JOSTLE_CHECK(!in_handler());
  if (!g_control && !reserve()) return nullptr;
  if (size > (size_t{1} << 46)) return nullptr;
  char* block =
      static_cast<char*>(take(alignment <= 16 ? size : size + alignment + sizeof(Header)));
  if (!block) return nullptr;
  if (alignment > 16) {
    const auto address = reinterpret_cast<uintptr_t>(block);
    uintptr_t aligned = (address + alignment - 1) & ~(alignment - 1);
    header_of(block)->size = size;
    if (aligned != address) {
      // Distances are multiples of 16: when the next boundary leaves no room for a header, the one
      // behind it does, and take() was asked for enough.
      if (aligned - address < sizeof(Header)) aligned += alignment;
      header_of(block)->size = aligned - address + size;
      const uintptr_t steps = (aligned - address) / 16;
      header_of(block)->steps_before = steps < 1 << 15 ? steps & 0x7fff : 0;
      block = reinterpret_cast<char*>(aligned);
      *header_of(block) = {aligned - address, kMoved, 0, 0, 0, 0, 0, 0};
      JOSTLE_CHECK_EQ(begin_of(origin_of(header_of(block))), address);
    }
    JOSTLE_CHECK_EQ(reinterpret_cast<uintptr_t>(block) % alignment, 0);
    JOSTLE_CHECK_LE(origin_of(header_of(block))->size,
                    capacity_of(origin_of(header_of(block))->size_class));
  }
  constexpr size_t kObject = 1 << 16;
  if (g_compares_memory && size <= kObject) [[unlikely]]
    memset(block, 0, size);
  if (g_current) {
    Header* header = origin_of(header_of(block));
    header->pc = pc;
    header->thread = g_current->index;
    header->ordinal = allocation_ordinal(pc);
    g_heap_history.allocated(begin_of(header), pc);
    mark_surroundings(header, reinterpret_cast<uintptr_t>(block), size);
    if (several_threads()) {
      const auto begin = reinterpret_cast<uintptr_t>(block);
      g_scheduler.learns_sharing_anew() ? forget_sharing(begin, size) : forget_owners(begin, size);
      if (size) g_reads_from.forget(reinterpret_cast<uintptr_t>(block), size);
      if (g_actions.active()) g_actions.forget(reinterpret_cast<uintptr_t>(block), size);
      g_races.forget(reinterpret_cast<uintptr_t>(block), size);
    }
  }
  return block;
}

void heap_free(void* block, uintptr_t pc) {
  constexpr char kNoBlock[] = "free() of a pointer that malloc() did not give";
  if (!plausible(block)) fail_heap(kNoBlock, block, pc);
  Header* header = header_of(block);
  if (header->state != kMoved && header->state != kLive && header->state != kFreed) {
    fail_heap(kNoBlock, block, pc);
  }
  Header* origin = origin_of(header);
  if (origin->state == kFreed || header->state == kFreed) fail_heap("double free", block, pc);
  if (origin->state != kLive) fail_heap(kNoBlock, block, pc);
  if (g_current) {
    const auto begin = reinterpret_cast<uintptr_t>(block);
    const uintptr_t end = begin_of(origin) + origin->size;
    note_freed(begin, end - begin, pc);
    g_heap_history.freed(begin_of(origin), pc);
    mark(begin, end - begin < kMostMarked ? end - begin : kMostMarked);
  }
  if (header != origin) header->state = kFreed;
  origin->state = kFreed;
  g_control->live -= capacity_of(origin->size_class);
  char* start = reinterpret_cast<char*>(origin + 1);
  if (capacity_of(origin->size_class) >= kGiveBack) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t from =
        (reinterpret_cast<uintptr_t>(start) + sizeof(FreeBlock) + page - 1) & ~(page - 1);
    const uintptr_t to = (reinterpret_cast<uintptr_t>(start) + origin->size) & ~(page - 1);
    if (to > from) {
      image_open(reinterpret_cast<void*>(from), to - from);
      REAL(madvise)(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }
  }
  let_wait(reinterpret_cast<FreeBlock*>(start));
}

size_t heap_size(const void* block) {
  Header* origin = origin_of(header_of(const_cast<void*>(block)));
  return begin_of(origin) + origin->size - reinterpret_cast<uintptr_t>(block);
}

void reuse_heap_at_once() { g_reuses_at_once = true; }

bool heap_resize(void* block, size_t size) {
  Header* origin = origin_of(header_of(block));
  if (origin->state != kLive) return false;
  const size_t offset = reinterpret_cast<uintptr_t>(block) - begin_of(origin);
  const size_t room = capacity_of(origin->size_class) - offset;
  if (size > room || size < room / 2) return false;
  origin->size = offset + size;
  if (g_current) {
    forget_marks(reinterpret_cast<uintptr_t>(block), size);
    mark_surroundings(origin, reinterpret_cast<uintptr_t>(block), size);
  }
  return true;
}

MemoryUse heap_use() {
  // What a run adds must be there before it, too: a snapshot says where the rest begins.
  if (!g_control && !reserve()) return {};
  return {reinterpret_cast<char*>(g_control), g_control->next, g_control->reserved};
}

void limit_heap(size_t bytes) {
  if (g_control || reserve()) g_control->limit = bytes;
}

size_t heap_live() { return g_control ? g_control->live : 0; }

bool in_heap(uintptr_t address) {
  return g_control && address >= reinterpret_cast<uintptr_t>(g_control) &&
         address < reinterpret_cast<uintptr_t>(g_control->end);
}

}  // namespace jostle::rt
