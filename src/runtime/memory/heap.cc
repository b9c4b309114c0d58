#include "src/runtime/memory/heap.h"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>

#include "src/base/engine_memory.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/location_name.h"
#include "src/runtime/memory/reads_from.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/races.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/image.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace jostle::rt {
namespace {

constexpr uintptr_t kBase = 0x6000'0000'0000;
constexpr size_t kReserve = size_t{64} << 30;
constexpr size_t kSmallestReserve = size_t{256} << 20;
constexpr size_t kGiveBack = size_t{1} << 20;  // freed blocks of this size return their pages

// Sizes of the buffers that libc allocates for the kernel.
constexpr size_t kKernelBuffer = 512;
constexpr size_t kLargestKernelBuffer = 64 * 1024;

constexpr uint32_t kLive = 0x4A53544C;
constexpr uint32_t kFreed = 0x46524545;
constexpr uint32_t kMoved = 0x414C4947;  // an aligned block: `size` is the distance to its start

// In front of every block; 32 bytes keep blocks 16-byte aligned.
struct Header {
  uint64_t size;  // what was asked for
  uint32_t state;
  uint16_t size_class;
  uint16_t reserved;
  uintptr_t pc;      // who allocated it
  uint32_t thread;   // its index
  uint32_t ordinal;  // see allocation_ordinal
};
static_assert(sizeof(Header) == 32);

struct FreeBlock {
  FreeBlock* next;
};

// Up to 1 KiB in steps of 16; above that four classes per doubling.
constexpr size_t kSmallLimit = 1024;
constexpr uint32_t kSmallClasses = kSmallLimit / 16;
constexpr uint32_t kClasses = kSmallClasses + 4 * 40;

struct Control {
  char* next;
  char* end;
  FreeBlock* free[kClasses];
};

Control* g_control = nullptr;

uint32_t class_of(size_t size) {
  if (size <= kSmallLimit) return size ? static_cast<uint32_t>((size - 1) / 16) : 0;
  const int log = std::bit_width(size - 1) - 1;  // 2^log < size <= 2^(log+1)
  const size_t quarter = size_t{1} << (log - 2);
  const auto step = static_cast<uint32_t>((size - 1 - (size_t{1} << log)) / quarter);
  return kSmallClasses + 4 * static_cast<uint32_t>(log - 10) + step;
}

size_t capacity_of(uint32_t size_class) {
  if (size_class < kSmallClasses) return (size_class + 1) * size_t{16};
  const uint32_t log = (size_class - kSmallClasses) / 4 + 10;
  const uint32_t step = (size_class - kSmallClasses) % 4;
  return (size_t{1} << log) + (step + 1) * (size_t{1} << (log - 2));
}

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
    g_control->next = static_cast<char*>(p) + ((sizeof(Control) + 63) & ~size_t{63});
    g_control->end = static_cast<char*>(p) + size;
    return true;
  }
  return false;
}

Header* header_of(void* block) { return static_cast<Header*>(block) - 1; }

// The block that an aligned pointer was cut out of.
Header* origin_of(Header* header) {
  if (header->state != kMoved) return header;
  return header_of(reinterpret_cast<char*>(header + 1) - header->size);
}

bool plausible(const void* block) {
  const auto address = reinterpret_cast<uintptr_t>(block);
  return g_control && address % 16 == 0 &&
         address >= reinterpret_cast<uintptr_t>(g_control) + sizeof(Control) &&
         address < reinterpret_cast<uintptr_t>(g_control->next);
}

void* take(size_t size) {
  const uint32_t size_class = class_of(size);
  if (size_class >= kClasses) return nullptr;
  char* block;
  if (FreeBlock* head = g_control->free[size_class]) {
    g_control->free[size_class] = head->next;
    block = reinterpret_cast<char*>(head);
    // libc's own buffers, which the kernel fills without a hook: streams, directories, time zones.
    if (size >= kKernelBuffer && size <= kLargestKernelBuffer) image_open(block, size);
  } else {
    const size_t bytes = capacity_of(size_class) + sizeof(Header);
    if (static_cast<size_t>(g_control->end - g_control->next) < bytes) return nullptr;
    block = g_control->next + sizeof(Header);
    g_control->next += bytes;
  }
  *header_of(block) = {size, kLive, static_cast<uint16_t>(size_class), 0, 0, 0, 0};
  return block;
}

}  // namespace

void* heap_allocate(size_t size, size_t alignment, uintptr_t pc) {
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
      block = reinterpret_cast<char*>(aligned);
      *header_of(block) = {aligned - address, kMoved, 0, 0, 0, 0, 0};
    }
  }
  if (g_current) {
    Header* header = origin_of(header_of(block));
    header->pc = pc;
    header->thread = g_current->index;
    header->ordinal = allocation_ordinal(pc);
    if (several_threads()) {
      forget_owners(reinterpret_cast<uintptr_t>(block), size);
      if (size) g_reads_from.forget(reinterpret_cast<uintptr_t>(block), size);
      g_races.forget(reinterpret_cast<uintptr_t>(block), size);
    }
  }
  return block;
}

void heap_free(void* block, uintptr_t pc) {
  if (!plausible(block)) {
    fail_heap("free() of a pointer that malloc() did not give", block);
  }
  Header* header = header_of(block);
  Header* origin = origin_of(header);
  if (origin->state == kFreed || header->state == kFreed) fail_heap("double free", block);
  if (origin->state != kLive) fail_heap("free() of a pointer that malloc() did not give", block);
  if (g_current) {
    const auto begin = reinterpret_cast<uintptr_t>(block);
    const uintptr_t end = reinterpret_cast<uintptr_t>(origin + 1) + origin->size;
    note_freed(begin, end - begin, pc);
  }
  if (header != origin) header->state = kFreed;
  origin->state = kFreed;
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
  auto* entry = reinterpret_cast<FreeBlock*>(start);
  entry->next = g_control->free[origin->size_class];
  g_control->free[origin->size_class] = entry;
}

size_t heap_size(const void* block) {
  Header* header = header_of(const_cast<void*>(block));
  Header* origin = origin_of(header);
  const size_t offset = reinterpret_cast<const char*>(block) - reinterpret_cast<char*>(origin + 1);
  return capacity_of(origin->size_class) - offset;
}

MemoryUse heap_use() {
  if (!g_control) return {};
  return {reinterpret_cast<char*>(g_control), g_control->next, g_control->end};
}

bool in_heap(uintptr_t address) {
  return g_control && address >= reinterpret_cast<uintptr_t>(g_control) &&
         address < reinterpret_cast<uintptr_t>(g_control->end);
}

// Looks for a header in front of the address: that of a live or freed block which reaches so far.
// Only so far back: objects are small, and a huge array may be named by its address. Mostly it is
// the block that was asked for last.
HeapBlock heap_block_of(uintptr_t address) {
  constexpr uintptr_t kFarthest = 1 << 16;
  static uintptr_t last = 0;
  const auto reaches = [address](uintptr_t at) {
    const auto* header = reinterpret_cast<const Header*>(at);
    if (header->state != kLive && header->state != kFreed) return false;
    const uintptr_t begin = at + sizeof(Header);
    return address >= begin && header->size_class < kClasses &&
           address < begin + capacity_of(header->size_class);
  };
  const auto block = [](uintptr_t at) -> HeapBlock {
    const auto* header = reinterpret_cast<const Header*>(at);
    return {at + sizeof(Header), header->pc, header->thread, header->ordinal};
  };
  if (last && reaches(last)) return block(last);
  const uintptr_t lowest = reinterpret_cast<uintptr_t>(g_control) + sizeof(Control);
  uintptr_t at = (address & ~uintptr_t{15}) - sizeof(Header);
  for (uintptr_t back = 0; back < kFarthest && at >= lowest; back += 16, at -= 16) {
    if (!reaches(at)) continue;
    last = at;
    return block(at);
  }
  return {};
}

bool describe_heap_address(uintptr_t address, channel::ObjectRecord& object) {
  if (!in_heap(address)) return false;
  // Walk back over possible header places: blocks lie one behind the other from the arena's start.
  char* at = reinterpret_cast<char*>(g_control) + ((sizeof(Control) + 63) & ~size_t{63});
  while (at < g_control->next) {
    const auto* header = reinterpret_cast<const Header*>(at);
    const auto begin = reinterpret_cast<uintptr_t>(header + 1);
    const size_t capacity = capacity_of(header->size_class);
    if (address < begin + capacity) {
      if (address < begin) return false;
      object.region = channel::Region::heap;
      object.thread = header->thread;
      object.offset = address - begin;
      object.size = header->size;
      object.freed = header->state == kFreed;
      object.allocated_at.depth = header->pc ? 1 : 0;
      object.allocated_at.pc[0] = header->pc;
      return true;
    }
    at = reinterpret_cast<char*>(begin + capacity);
  }
  return false;
}

}  // namespace jostle::rt
