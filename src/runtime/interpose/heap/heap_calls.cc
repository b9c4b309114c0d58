// SPDX-License-Identifier: Apache-2.0
// malloc and its family, and operator new/delete: the arena of src/runtime/heap/heap.h while we
// are in control, libc's heap otherwise. Which of the two start.cc says before anybody else's code
// runs; the few calls that come even earlier (from the dynamic linker) are served apart.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <new>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/showing.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/heap/heap_choice.h"
#include "src/runtime/modules/modules.h"
#include "src/schedule/channel.h"

using namespace jostle;
using namespace jostle::rt;

// libc's own entry points; dlsym(RTLD_NEXT) would itself allocate.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {

Heap g_heap = Heap::undecided;

alignas(16) JOSTLE_LARGE char g_early[16384];
size_t g_early_used = 0;
bool is_early(const void* p) {
  return p >= static_cast<void*>(g_early) && p < static_cast<void*>(g_early + sizeof g_early);
}
void* early_allocate(size_t size) {
  const size_t bytes = (size + 31) & ~size_t{15};
  if (g_early_used + bytes > sizeof g_early) _exit(70);
  char* block = g_early + g_early_used + 16;
  *reinterpret_cast<size_t*>(block - 16) = size;
  g_early_used += bytes + 16;
  return block;
}

void* allocate_from_libc(size_t size, size_t alignment) {
  return alignment <= 16 ? __libc_malloc(size) : __libc_memalign(alignment, size);
}

// A block that is libc's to resize and to free.
bool is_libcs(const void* block) {
  return g_heap == Heap::libcs ||
         (g_heap == Heap::both && !in_heap(reinterpret_cast<uintptr_t>(block)));
}

void* allocate(size_t size, size_t alignment, uintptr_t pc) {
  switch (g_heap) {
    case Heap::undecided:
      return early_allocate(size);
    case Heap::libcs:
      return allocate_from_libc(size, alignment);
    case Heap::both:
      if (!controlled() || creating_donor()) return allocate_from_libc(size, alignment);
      break;
    case Heap::ours:
    case Heap::adopted:
      break;
  }
  // What libc needs for a donor thread is not part of the target's heap.
  if (creating_donor() || is_showing()) return engine_allocate(size + alignment);
  void* block = heap_allocate(size, alignment, pc);
  if (!block) errno = ENOMEM;
  return block;
}

// A block of the time before we took control: not in our arena, and neither on a stack nor in a
// module, where no allocator has ever given out anything.
bool is_adopted(const void* block) {
  if (g_heap != Heap::adopted) return false;
  const auto address = reinterpret_cast<uintptr_t>(block);
  const Thread& main = *g_scheduler.thread_at(0);
  const bool on_stack =
      in_fiber_stacks(address) || (address >= main.stack_begin && address < main.stack_end);
  return !on_stack && !in_heap(address) && !is_engine_memory(block) && code_location(address) == 0;
}

void release(void* block, uintptr_t pc) {
  if (!block || is_early(block) || is_adopted(block)) return;
  if (is_libcs(block)) return __libc_free(block);
  // Another thread of the process, while ours runs: our heap has no locks.
  if (g_heap == Heap::both && g_current && !controlled()) return;
  if (is_engine_memory(block)) return;
  heap_free(block, pc);
}

size_t size_of(void* block) {
  if (is_early(block)) return *reinterpret_cast<size_t*>(static_cast<char*>(block) - 16);
  if (is_adopted(block)) return REAL(malloc_usable_size)(block);
  return heap_size(block);
}

void* allocate_or_throw(size_t size, size_t alignment, uintptr_t pc) {
  for (;;) {
    if (void* block = allocate(size, alignment, pc)) return block;
    std::new_handler handler = std::get_new_handler();
    if (!handler) std::__throw_bad_alloc();
    handler();
  }
}

}  // namespace

namespace jostle::rt {
void choose_heap(Heap heap) { g_heap = heap; }
}  // namespace jostle::rt

JOSTLE_HOOK void* malloc(size_t size) noexcept { return allocate(size, 16, CALLER()); }

JOSTLE_HOOK void free(void* block) noexcept {
  const int saved = errno;
  release(block, CALLER());
  errno = saved;
}
JOSTLE_HOOK void cfree(void* block) noexcept { release(block, CALLER()); }

JOSTLE_HOOK void* calloc(size_t count, size_t size) noexcept {
  if (g_heap == Heap::libcs || (g_heap == Heap::both && !controlled())) {
    return __libc_calloc(count, size);
  }
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void* block = allocate(bytes, 16, CALLER());
  if (block) memset(block, 0, bytes);
  return block;
}

JOSTLE_HOOK void* realloc(void* block, size_t size) noexcept {
  if (!block) return allocate(size, 16, CALLER());
  if (!is_early(block) && is_libcs(block)) return __libc_realloc(block, size);
  if (size == 0) {
    release(block, CALLER());
    return nullptr;
  }
  if (is_engine_memory(block)) {
    // A table that libc made for a donor thread and now grows (the DTV): it must stay ours.
    void* grown = engine_allocate(size);
    memcpy(grown, block, size);  // engine blocks lie in one mapping: reading beyond is harmless
    return grown;
  }
  if (!is_early(block) && !is_adopted(block) && heap_resize(block, size)) return block;
  const size_t old = size_of(block);
  void* moved = allocate(size, 16, CALLER());
  if (!moved) return nullptr;
  memcpy(moved, block, old < size ? old : size);
  release(block, CALLER());
  return moved;
}

JOSTLE_HOOK void* reallocarray(void* block, size_t count, size_t size) noexcept {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, bytes);
}

JOSTLE_HOOK void* memalign(size_t alignment, size_t size) noexcept {
  size_t power = 16;
  while (power < alignment) power *= 2;
  return allocate(size, power, CALLER());
}
JOSTLE_HOOK void* aligned_alloc(size_t alignment, size_t size) noexcept {
  if (alignment == 0 || (alignment & (alignment - 1))) {
    errno = EINVAL;
    return nullptr;
  }
  return allocate(size, alignment < 16 ? 16 : alignment, CALLER());
}
JOSTLE_HOOK int posix_memalign(void** result, size_t alignment, size_t size) noexcept {
  if (alignment % sizeof(void*) || alignment == 0 || (alignment & (alignment - 1))) return EINVAL;
  const int saved = errno;
  void* block = allocate(size, alignment < 16 ? 16 : alignment, CALLER());
  errno = saved;
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}
JOSTLE_HOOK void* valloc(size_t size) noexcept {
  return allocate(size, static_cast<size_t>(sysconf(_SC_PAGESIZE)), CALLER());
}
JOSTLE_HOOK void* pvalloc(size_t size) noexcept {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return allocate((size + page - 1) & ~(page - 1), page, CALLER());
}
JOSTLE_HOOK size_t malloc_usable_size(void* block) noexcept {
  if (!block) return 0;
  if (!is_early(block) && is_libcs(block)) return REAL(malloc_usable_size)(block);
  return size_of(block);
}
JOSTLE_HOOK int malloc_trim(size_t pad) noexcept {
  return g_heap == Heap::ours || g_heap == Heap::adopted ? 0 : REAL(malloc_trim)(pad);
}

// operator new and delete: ours, so that an allocation is known by the place in the program and not
// by a place in libstdc++.
#define EXPORT __attribute__((visibility("default")))

EXPORT void* operator new(size_t n) { return allocate_or_throw(n, 16, CALLER()); }
EXPORT void* operator new[](size_t n) { return allocate_or_throw(n, 16, CALLER()); }
EXPORT void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return allocate(n, 16, CALLER());
}
EXPORT void* operator new[](size_t n, const std::nothrow_t&) noexcept {
  return allocate(n, 16, CALLER());
}
EXPORT void* operator new(size_t n, std::align_val_t a) {
  return allocate_or_throw(n, static_cast<size_t>(a), CALLER());
}
EXPORT void* operator new[](size_t n, std::align_val_t a) {
  return allocate_or_throw(n, static_cast<size_t>(a), CALLER());
}
EXPORT void* operator new(size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<size_t>(a), CALLER());
}
EXPORT void* operator new[](size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return allocate(n, static_cast<size_t>(a), CALLER());
}
EXPORT void operator delete(void* p) noexcept { release(p, CALLER()); }
EXPORT void operator delete[](void* p) noexcept { release(p, CALLER()); }
EXPORT void operator delete(void* p, size_t) noexcept { release(p, CALLER()); }
EXPORT void operator delete[](void* p, size_t) noexcept { release(p, CALLER()); }
EXPORT void operator delete(void* p, const std::nothrow_t&) noexcept { release(p, CALLER()); }
EXPORT void operator delete[](void* p, const std::nothrow_t&) noexcept { release(p, CALLER()); }
EXPORT void operator delete(void* p, std::align_val_t) noexcept { release(p, CALLER()); }
EXPORT void operator delete[](void* p, std::align_val_t) noexcept { release(p, CALLER()); }
EXPORT void operator delete(void* p, size_t, std::align_val_t) noexcept { release(p, CALLER()); }
EXPORT void operator delete[](void* p, size_t, std::align_val_t) noexcept { release(p, CALLER()); }
EXPORT void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  release(p, CALLER());
}
EXPORT void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept {
  release(p, CALLER());
}
