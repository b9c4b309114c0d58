// SPDX-License-Identifier: Apache-2.0
#include "src/base/engine_memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <bit>
#include <cstdint>

#include "src/base/check.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"

namespace jostle {

size_t g_reserve_divisor = 1;

namespace {

constexpr size_t kSmallestReserve = size_t{64} << 20;
constexpr int kClasses = 48;  // released blocks by power of two

[[noreturn]] void out_of_memory() {
  static const char message[] = "jostle: out of address space for the engine's own tables\n";
  // Not by hooks, which would have to allocate.
  raw_syscall(SYS_write, 2, reinterpret_cast<long>(message), sizeof message - 1);
  for (;;) raw_syscall(SYS_exit_group, 70);
}

size_t rounded(size_t bytes) { return std::bit_ceil(bytes < 64 ? size_t{64} : bytes); }
int class_of(size_t size) { return std::countr_zero(size); }

// One reservation, so that "is it ours" is a range check. Untouched pages cost nothing.
class Arena {
 public:
  constexpr explicit Arena(size_t reserve) : reserve_(reserve) {}

  void* allocate(size_t bytes) {
    // No handler allocates while it interrupts an allocation: see in_handler.h.
    JOSTLE_CHECKED(JOSTLE_CHECK(!allocating_));
    JOSTLE_CHECKED(allocating_ = true);
    reserve();
    const size_t size = rounded(bytes);
    if (FreeBlock*& head = free_[class_of(size)]) {
      FreeBlock* block = head;
      JOSTLE_CHECK(is_handed_out(block, size));
      head = block->next;
      JOSTLE_CHECK(!head || is_handed_out(head, size));
      __builtin_memset(block, 0, size);
      JOSTLE_CHECKED(allocating_ = false);
      return block;
    }
    if (static_cast<size_t>(use_.end - use_.next) < size) out_of_memory();
    char* block = use_.next;
    use_.next += size;
    JOSTLE_CHECK_LE(use_.next, use_.end);
    JOSTLE_CHECK_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0);
    JOSTLE_CHECKED(allocating_ = false);
    return block;
  }

  void release(void* block, size_t bytes) {
    JOSTLE_CHECK(is_handed_out(block, rounded(bytes)));
    JOSTLE_CHECKED(JOSTLE_CHECK(!allocating_));
    auto* entry = static_cast<FreeBlock*>(block);
    FreeBlock*& head = free_[class_of(rounded(bytes))];
    JOSTLE_CHECK_NE(entry, head);  // released twice
    entry->next = head;
    head = entry;
  }

  const MemoryUse& use() const { return use_; }

  void reserve() {
    if (use_.begin) return;
    for (size_t size = reserve_ / g_reserve_divisor; size >= kSmallestReserve; size /= 2) {
      void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p != MAP_FAILED) {
        madvise(p, size, MADV_DONTDUMP);  // nobody wants gigabytes of ours in a core
        use_.begin = use_.next = static_cast<char*>(p);
        use_.end = use_.begin + size;
        return;
      }
    }
    out_of_memory();
  }

 private:
  struct FreeBlock {
    FreeBlock* next;
  };

  [[maybe_unused]] bool is_handed_out(const void* block, size_t size) const {
    const char* begin = static_cast<const char*>(block);
    return begin >= use_.begin && begin <= use_.next - size && (begin - use_.begin) % 64 == 0;
  }

#ifdef JOSTLE_CHECKS
  bool allocating_ = false;
#endif
  size_t reserve_;
  MemoryUse use_ = {};
  FreeBlock* free_[kClasses] = {};
};

JOSTLE_KEPT constinit Arena g_engine{size_t{8} << 30};
constinit Arena g_run{size_t{4} << 30};

struct SharedMapping {
  uintptr_t begin, end;
};
constexpr int kMostShared = 1024;  // tests make many strategies
JOSTLE_KEPT SharedMapping g_shared[kMostShared];
JOSTLE_KEPT int g_shared_count = 0;

}  // namespace

void* engine_allocate(size_t bytes) { return g_engine.allocate(bytes); }
void engine_release(void* block, size_t bytes) { g_engine.release(block, bytes); }
bool is_engine_memory(const void* address) {
  const char* p = static_cast<const char*>(address);
  return p >= g_engine.use().begin && p < g_engine.use().end;
}
MemoryUse engine_memory_use() { return g_engine.use(); }

void* run_allocate(size_t bytes) {
  JOSTLE_CHECK(!in_handler());
  return g_run.allocate(bytes);
}
void run_release(void* block, size_t bytes) { g_run.release(block, bytes); }
MemoryUse run_memory_use() {
  g_run.reserve();
  return g_run.use();
}

void* map_shared_engine_memory(size_t size) {
  if (g_shared_count == kMostShared) return nullptr;
  void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                 -1, 0);
  if (p == MAP_FAILED) return nullptr;
  note_shared_engine_memory(p, size);
  return p;
}

void note_shared_engine_memory(const void* begin, size_t size) {
  madvise(const_cast<void*>(begin), size, MADV_DONTDUMP);
  const auto from = reinterpret_cast<uintptr_t>(begin);
  JOSTLE_CHECK(!is_engine_memory(begin));
  if (g_shared_count < kMostShared) g_shared[g_shared_count++] = {from, from + size};
}

MemoryUse shared_engine_memory(int n) {
  if (n >= g_shared_count) return {};
  char* end = reinterpret_cast<char*>(g_shared[n].end);
  return {reinterpret_cast<char*>(g_shared[n].begin), end, end};
}

bool is_shared_engine_memory(uintptr_t address) {
  for (int i = 0; i < g_shared_count; ++i) {
    if (address >= g_shared[i].begin && address < g_shared[i].end) return true;
  }
  return false;
}

}  // namespace jostle
