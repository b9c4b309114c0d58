#include "src/runtime/fiber/stack_pool.h"

#include <sys/mman.h>

#include "src/base/engine_memory.h"
#include "src/runtime/interpose/hook.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace jostle::rt {
namespace {

constexpr uintptr_t kBase = 0x6800'0000'0000;
constexpr size_t kReserve = size_t{512} << 30;  // 60,000 threads of 8 MiB
constexpr size_t kSmallestReserve = size_t{1} << 30;
constexpr size_t kPage = 65536;  // aarch64 kernels may use 64 KiB pages

char* g_begin = nullptr;
char* g_end = nullptr;
char* g_next = nullptr;
constinit EngineVector<FiberStack> g_free;

size_t round_up(size_t n) { return (n + kPage - 1) & ~(kPage - 1); }

void* map(void* where, size_t size, int flags) {
  return REAL(mmap)(where, size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | flags, -1, 0);
}

bool reserve() {
  for (size_t size = kReserve / g_reserve_divisor; size >= kSmallestReserve; size /= 2) {
    void* p = map(reinterpret_cast<void*>(kBase), size, MAP_FIXED_NOREPLACE);
    if (p == MAP_FAILED) p = map(nullptr, size, 0);
    if (p == MAP_FAILED) continue;
    g_begin = g_next = static_cast<char*>(p);
    g_end = g_begin + size;
    return true;
  }
  return false;
}

}  // namespace

FiberStack acquire_stack(size_t size, size_t guard) {
  size = round_up(size);
  guard = round_up(guard ? guard : 1);
  for (size_t i = g_free.size(); i-- > 0;) {
    if (g_free[i].size != size || g_free[i].guard != guard) continue;
    const FiberStack stack = g_free[i];
    for (size_t j = i + 1; j < g_free.size(); ++j) g_free[j - 1] = g_free[j];
    g_free.pop_back();
    return stack;
  }
  if (!g_begin && !reserve()) return {};
  if (static_cast<size_t>(g_end - g_next) < size + guard) return {};
  char* base = g_next + guard;
  if (mprotect(base, size, PROT_READ | PROT_WRITE) != 0) return {};
  g_next = base + size;
  return {base, size, guard, true};
}

void release_stack(const FiberStack& stack) {
  if (stack.owned) g_free.push_back(stack);
}

bool in_fiber_stacks(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(g_begin) &&
         address < reinterpret_cast<uintptr_t>(g_next);
}

}  // namespace jostle::rt
