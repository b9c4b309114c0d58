// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/fiber/stack_pool.h"

#include <sys/mman.h>

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/base/raw_memory.h"
#include "src/runtime/libc/real.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace jostle::rt {
namespace {

constexpr uintptr_t kBase = 0x6800'0000'0000;
constexpr size_t kReserve = size_t{512} << 30;  // 60,000 threads of 8 MiB
constexpr size_t kSmallestReserve = size_t{1} << 30;
constexpr size_t kPage = 65536;  // aarch64 kernels may use 64 KiB pages
constexpr size_t kPiece = 512;   // used stack is looked for and cleared in pieces of this size
constexpr int kGap = 4;          // so many untouched pieces: nothing below has been used

JOSTLE_KEPT char* g_begin = nullptr;
JOSTLE_KEPT char* g_end = nullptr;
JOSTLE_KEPT constinit EngineVector<FiberStack> g_free;
// What has been carved out of the reservation, in the order of addresses. A run after a rewind
// carves again behind what was there at the start: mostly alike, so that no page has to change its
// protection.
JOSTLE_KEPT constinit EngineVector<FiberStack> g_carved;
JOSTLE_KEPT constinit EngineVector<uint32_t> g_users;  // of what is carved
JOSTLE_KEPT size_t g_carved_now = 0;
JOSTLE_KEPT size_t g_carved_at_start = 0;
JOSTLE_KEPT constinit EngineVector<FiberStack> g_free_at_start;

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
    g_begin = static_cast<char*>(p);
    g_end = g_begin + size;
    return true;
  }
  return false;
}

char* end_of(const FiberStack& stack) { return stack.base + stack.size; }
char* next_place() { return g_carved_now ? end_of(g_carved[g_carved_now - 1]) : g_begin; }

FiberStack carve(size_t size, size_t guard) {
  if (!g_begin && !reserve()) return {};
  char* place = next_place();
  if (static_cast<size_t>(g_end - place) < size + guard) return {};
  const FiberStack stack{place + guard, size, guard, true, static_cast<uint32_t>(g_carved_now)};
  if (g_carved_now < g_carved.size()) {
    if (g_carved[g_carved_now].base == stack.base && g_carved[g_carved_now].size == size) {
      return g_carved[g_carved_now++];
    }
    // An earlier run had others here: all beyond is without access again.
    REAL(mprotect)(place, static_cast<size_t>(end_of(g_carved.back()) - place), PROT_NONE);
    g_carved.resize(g_carved_now);
  }
  if (REAL(mprotect)(stack.base, size, PROT_READ | PROT_WRITE) != 0) return {};
  JOSTLE_CHECK_EQ(g_carved.size(), g_carved_now);
  JOSTLE_CHECK(stack.base >= g_begin + guard && end_of(stack) <= g_end);
  g_carved.push_back(stack);
  ++g_carved_now;
  return stack;
}

[[maybe_unused]] bool is_free(const FiberStack& stack) {
  for (const FiberStack& free : g_free) {
    if (free.base == stack.base) return true;
  }
  return false;
}

bool is_zero(const char* piece) {
  using Vector = uint64_t __attribute__((vector_size(16)));
  const auto* at = reinterpret_cast<const Vector*>(piece);
  for (size_t i = 0; i < kPiece / sizeof(Vector); i += 16) {
    Vector a = at[i], b = at[i + 1], c = at[i + 2], d = at[i + 3];
    for (size_t j = 4; j < 16; j += 4) {
      a |= at[i + j];
      b |= at[i + j + 1];
      c |= at[i + j + 2];
      d |= at[i + j + 3];
    }
    a |= b | c | d;
    if (a[0] | a[1]) return false;
  }
  return true;
}

}  // namespace

FiberStack acquire_stack(size_t size, size_t guard) {
  size = round_up(size);
  guard = round_up(guard ? guard : 1);
  for (size_t i = g_free.size(); i-- > 0;) {
    if (g_free[i].size != size || g_free[i].guard != guard) continue;
    const FiberStack stack = g_free[i];
    JOSTLE_CHECK(stack.owned && stack.base >= g_begin && end_of(stack) <= next_place());
    for (size_t j = i + 1; j < g_free.size(); ++j) g_free[j - 1] = g_free[j];
    g_free.pop_back();
    return stack;
  }
  return carve(size, guard);
}

void release_stack(const FiberStack& stack) {
  JOSTLE_CHECK(!stack.owned || (stack.base >= g_begin && end_of(stack) <= next_place()));
  JOSTLE_CHECK(!stack.owned || !is_free(stack));
  if (stack.owned) g_free.push_back(stack);
}

bool in_fiber_stacks(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(g_begin) &&
         address < reinterpret_cast<uintptr_t>(next_place());
}

void note_stack_user(const FiberStack& stack, uint32_t user) {
  if (!stack.owned) return;
  if (stack.place >= g_users.size()) g_users.resize(stack.place + 1);
  g_users[stack.place] = user;
}

uint32_t stack_user_at(uintptr_t address) {
  if (!in_fiber_stacks(address)) return UINT32_MAX;
  size_t first = 0, behind = g_carved_now;
  while (behind - first > 1) {
    const size_t middle = (first + behind) / 2;
    const bool is_below = address < reinterpret_cast<uintptr_t>(g_carved[middle].base);
    (is_below ? behind : first) = middle;
  }
  return first < g_users.size() ? g_users[first] : UINT32_MAX;
}

void keep_stacks_as_start() {
  if (!g_begin) reserve();
  g_carved_at_start = g_carved_now;
  g_free_at_start.clear();
  for (const FiberStack& stack : g_free) g_free_at_start.push_back(stack);
}

void rewind_stacks() {
  for (size_t i = g_carved_at_start; i < g_carved_now; ++i) {
    clear_used_stack(g_carved[i].base, end_of(g_carved[i]));
  }
  JOSTLE_CHECK_LE(g_carved_at_start, g_carved.size());
  g_carved_now = g_carved_at_start;
  g_free.clear();
  for (const FiberStack& stack : g_free_at_start) {
    clear_used_stack(stack.base, end_of(stack));
    g_free.push_back(stack);
  }
}

void stack_reservation(uintptr_t& begin, uintptr_t& end) {
  if (!g_begin) reserve();
  begin = reinterpret_cast<uintptr_t>(g_begin);
  end = reinterpret_cast<uintptr_t>(g_end);
}

void clear_used_stack(char* lowest, char* top) {
  JOSTLE_CHECK_LE(lowest, top);
  int untouched = 0;
  for (char* at = top; at - lowest >= static_cast<ptrdiff_t>(kPiece) && untouched < kGap;) {
    at -= kPiece;
    if (is_zero(at)) {
      ++untouched;
    } else {
      jostle_raw_memset(at, 0, kPiece);  // faster than what the compiler makes of memset
      untouched = 0;
    }
  }
}

}  // namespace jostle::rt
