#include "src/base/engine_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdint>

namespace jostle {

size_t g_reserve_divisor = 1;

namespace {

// One reservation, so that "is it ours" is a range check. Untouched pages cost nothing.
constexpr size_t kReserve = size_t{8} << 30;
constexpr size_t kSmallestReserve = size_t{64} << 20;
constexpr int kClasses = 48;  // released blocks by power of two

struct FreeBlock {
  FreeBlock* next;
};

char* g_begin = nullptr;
char* g_end = nullptr;
char* g_next = nullptr;
FreeBlock* g_free[kClasses];

[[noreturn]] void out_of_memory() {
  static const char message[] = "jostle: out of address space for the engine's own tables\n";
  (void)!write(2, message, sizeof message - 1);
  _exit(70);
}

void reserve() {
  for (size_t size = kReserve / g_reserve_divisor; size >= kSmallestReserve; size /= 2) {
    void* p = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) {
      g_begin = g_next = static_cast<char*>(p);
      g_end = g_begin + size;
      return;
    }
  }
  out_of_memory();
}

size_t rounded(size_t bytes) { return std::bit_ceil(bytes < 64 ? size_t{64} : bytes); }
int class_of(size_t size) { return std::countr_zero(size); }

}  // namespace

void* engine_allocate(size_t bytes) {
  if (!g_begin) reserve();
  const size_t size = rounded(bytes);
  if (FreeBlock*& head = g_free[class_of(size)]) {
    FreeBlock* block = head;
    head = block->next;
    for (size_t i = 0; i < size; ++i) reinterpret_cast<char*>(block)[i] = 0;
    return block;
  }
  if (static_cast<size_t>(g_end - g_next) < size) out_of_memory();
  char* block = g_next;
  g_next += size;
  return block;
}

void engine_release(void* block, size_t bytes) {
  auto* entry = static_cast<FreeBlock*>(block);
  FreeBlock*& head = g_free[class_of(rounded(bytes))];
  entry->next = head;
  head = entry;
}

bool is_engine_memory(const void* address) {
  const char* p = static_cast<const char*>(address);
  return p >= g_begin && p < g_end;
}

}  // namespace jostle
