// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/snapshot/snapshot.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/base/raw_syscall.h"
#include "src/runtime/fiber/context.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/image/image.h"
#include "src/runtime/image/maps.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"

// The linker's: where the section of the variables that survive begins and ends (base/kept.h).
extern "C" char __start_jostle_kept[] __attribute__((visibility("hidden")));
extern "C" char __stop_jostle_kept[] __attribute__((visibility("hidden")));

// Since glibc 2.35.
extern "C" __attribute__((weak)) const ptrdiff_t __rseq_offset;
extern "C" __attribute__((weak)) const unsigned int __rseq_size;

namespace jostle::rt {
namespace {

// New heap that a run used is cleared by hand up to this much, above it by the kernel.
constexpr size_t kClearByHand = size_t{1} << 20;

JOSTLE_KEPT constinit EngineVector<MapRange> g_not_image;
JOSTLE_KEPT char* g_heap_next = nullptr;
JOSTLE_KEPT char* g_run_memory_next = nullptr;
JOSTLE_KEPT const char* g_trouble = nullptr;
JOSTLE_KEPT bool g_bound_lazily = false;

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

void leave_out(uintptr_t begin, uintptr_t end) {
  if (begin < end) g_not_image.push_back({begin, end});
}

// The kernel notes in the running thread's descriptor on which processor it runs (rseq), at any
// time. It must always be able to write there, and what it wrote stays.
void leave_out_kernel_area() {
  constexpr uintptr_t kSize = 32;
  if (!&__rseq_size || __rseq_size == 0) return;
  const uintptr_t area = number(thread_pointer()) + static_cast<uintptr_t>(__rseq_offset);
  leave_out(area, area + (__rseq_size > kSize ? __rseq_size : kSize));
}

// Where the linker notes functions that it has looked up at their first call. A program that the
// command starts has all of them from the beginning (LD_BIND_NOW), but not one that came to a check
// by itself: it would look them up again in every run. What they are does not depend on the run.
int adopt_bindings(dl_phdr_info* info, size_t, void*) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
  }
  uintptr_t table = 0, bytes = 0;
  for (; dynamic && dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_PLTGOT) table = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_PLTRELSZ) bytes = dynamic->d_un.d_val;
  }
  // Three entries are the linker's own. The vDSO's pointers are offsets, and it has none of these.
  if (table > info->dlpi_addr && bytes) {
    image_adopt(table, table + (3 + bytes / sizeof(ElfW(Rela))) * sizeof(void*));
  }
  return 0;
}

// What is writable but not the program's, or has its own way back.
void collect_what_is_ours() {
  g_not_image.clear();
  leave_out(number(__start_jostle_kept), number(__stop_jostle_kept));
  leave_out(number(engine_memory_use().begin), number(engine_memory_use().end));
  leave_out(number(run_memory_use().begin), number(run_memory_use().end));
  leave_out(number(heap_use().begin), number(heap_use().end));
  for (int i = 0; shared_engine_memory(i).begin; ++i) {
    leave_out(number(shared_engine_memory(i).begin), number(shared_engine_memory(i).end));
  }
  uintptr_t begin, end;
  stack_reservation(begin, end);
  leave_out(begin, end);
  leave_out(number(donor_memory().begin), number(donor_memory().end));
  const Thread& main = *g_scheduler.thread_at(0);
  leave_out(main.stack_begin, main.stack_end);
  leave_out_kernel_area();
}

// Adds the stretch except what is left out.
void add_rest(uintptr_t begin, uintptr_t end) {
  for (const MapRange& out : g_not_image) {
    if (out.begin >= end || out.end <= begin) continue;
    if (out.begin > begin) add_rest(begin, out.begin);
    begin = out.end;
    if (begin >= end) return;
  }
  image_add(begin, end);
}

void add_mapping(const Mapping& mapping) {
  if (!mapping.writable || !mapping.readable) return;
  if (mapping.name[0] == '[' && strncmp(mapping.name, "[heap]", 6) != 0 &&
      strncmp(mapping.name, "[anon", 5) != 0) {
    return;  // [stack] is added apart, [vvar] and the like are the kernel's
  }
  if (!mapping.shared) return add_rest(mapping.begin, mapping.end);
  if (!is_shared_engine_memory(mapping.begin)) g_trouble = "has shared memory mapped before main";
}

void clear(char* from, char* to) {
  if (from >= to) return;
  const auto size = static_cast<size_t>(to - from);
  if (size <= kClearByHand) {
    memset(from, 0, size);
    return;
  }
  char* by_hand = reinterpret_cast<char*>((number(from) + 65535) & ~uintptr_t{65535});
  memset(from, 0, static_cast<size_t>(by_hand - from));
  raw_syscall(SYS_madvise, reinterpret_cast<long>(by_hand), to - by_hand, MADV_DONTNEED);
}

void clear_main_stack() {
  clear_used_stack(reinterpret_cast<char*>(g_scheduler.thread_at(0)->stack_begin),
                   reinterpret_cast<char*>(main_stack_pointer() & ~uintptr_t{1023}));
}

}  // namespace

void note_lazy_binding() { g_bound_lazily = true; }

const char* take_snapshot() {
  g_trouble = nullptr;
  if (!g_scheduler.is_alone()) return "starts threads before main";
  image_reset();
  clear_main_stack();
  g_scheduler.keep_as_start();
  collect_what_is_ours();
  for_each_mapping([](const Mapping& mapping) { add_mapping(mapping); });
  const Thread& main = *g_scheduler.thread_at(0);
  image_add(main_stack_pointer(), main.stack_end);
  g_heap_next = heap_use().next;
  g_run_memory_next = run_memory_use().next;
  image_add(number(heap_use().begin), number(g_heap_next));
  image_add(number(run_memory_use().begin), number(g_run_memory_next));
  if (g_bound_lazily) dl_iterate_phdr(adopt_bindings, nullptr);
  if (g_trouble) return g_trouble;
  if (!image_save()) return "has too much memory";
  return keep_kernel_state();
}

void rewind_to_snapshot() {
  // How far the run got, before its own records are rewound.
  char* const heap_next = heap_use().next;
  char* const run_memory_next = run_memory_use().next;
  rewind_kernel_state();
  image_rewind();
  clear(g_heap_next, heap_next);
  clear(g_run_memory_next, run_memory_next);
  clear_main_stack();
  g_scheduler.rewind();
  note_only_thread();
}

}  // namespace jostle::rt
