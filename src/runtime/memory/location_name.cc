// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/location_name.h"

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/base/index_table.h"
#include "src/base/kept.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/memory/sharing.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

// Allocations of a run by place and thread. Beyond kMostSites ordinals are shared: then names of
// different objects may be the same, which does no harm but to precision.
struct Site {
  uint64_t key;
  uint32_t run;  // in which `count` holds
  uint32_t count;
};
constexpr size_t kMostSites = 1 << 16;
JOSTLE_KEPT constinit EngineVector<Site> g_sites;
JOSTLE_KEPT constinit IndexTable g_site_of_key;
JOSTLE_KEPT uint32_t g_run = 0;

Site* site_with(uint64_t key) {
  const uint32_t known =
      g_site_of_key.find(key, [key](uint32_t i) { return g_sites[i].key == key; });
  if (known != IndexTable::kNotThere) return &g_sites[known];
  if (g_sites.size() == kMostSites) return nullptr;
  g_sites.push_back({key, 0, 0});
  g_site_of_key.add(static_cast<uint32_t>(g_sites.size() - 1),
                    [](uint32_t i) { return g_sites[i].key; });
  return &g_sites.back();
}

// Whose memory it is. `guess` mostly knows; but the memory of a thread that has ended may have
// become another's.
template <typename Test>
const Thread* first_thread(ThreadId guess, const Test& is_its) {
  if (guess < g_scheduler.table_size()) {
    const Thread* thread = g_scheduler.thread_at(guess);
    if (thread->live && is_its(*thread)) return thread;
  }
  const Thread* ended = nullptr;
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (!is_its(*thread)) continue;
    if (thread->live) return thread;
    ended = thread;
  }
  return ended;
}

const Thread* whose_stack(uintptr_t address) {
  return first_thread(stack_user_at(address), [address](const Thread& thread) {
    return address >= thread.stack_begin && address < thread.stack_end;
  });
}

const Thread* whose_thread_locals(uintptr_t address) {
  return first_thread(donor_user_at(address), [address](const Thread& thread) {
    return thread.context.tp && in_static_tls(thread.context.tp, address);
  });
}

// A thread that others join or cancel stands for itself: its slot in our own memory lies elsewhere
// in a process that has done other things before.
const Thread* thread_of_slot(uintptr_t address) {
  const auto* slot = reinterpret_cast<const Thread*>(address);
  if (address % alignof(Thread) != 0 || slot->id >= g_scheduler.table_size()) return nullptr;
  return g_scheduler.thread_at(slot->id) == slot ? slot : nullptr;
}

}  // namespace

uint64_t thread_path(uint32_t thread_index) {
  return thread_index < channel::kMaxThreads
             ? g_scheduler.record().schedule.threads[thread_index].path
             : thread_index;
}

void begin_location_names() { ++g_run; }

uint32_t allocation_ordinal(uintptr_t pc) {
  // In a process that is not rewound addresses are not the same in every run.
  if ((!several_threads() && !g_embedded) || g_run == 0) return 0;
  const uint64_t key = combine(g_embedded ? code_location(pc) : pc, thread_path(g_current->index));
  Site* site = site_with(key);
  if (!site) return 1;
  if (site->run != g_run) *site = {key, g_run, 0};
  return ++site->count;
}

uint64_t location_name(uintptr_t address) {
  if (in_heap(address)) {
    const HeapBlock block = heap_block_of(address);
    if (block.ordinal == 0) return combine(2, address);
    uint64_t name = combine(3, thread_path(block.thread));
    name = combine(name, code_location(block.pc));
    return combine(combine(name, block.ordinal), address - block.begin);
  }
  if (const channel::CodeLocation location = code_location(address)) return combine(4, location);
  if (is_engine_memory(reinterpret_cast<const void*>(address))) {
    const Thread* thread = thread_of_slot(address);
    return thread ? combine(7, thread_path(thread->index)) : 7;
  }
  if (const Thread* thread = whose_stack(address)) {
    // How far main's frames are from the end of its stack depends on the environment, which lies
    // there; and where that end is may be drawn by lot. Workers on other machines have another.
    const bool is_main = thread->index == 0 && thread->base_frame != 0;
    const uintptr_t top = is_main ? thread->base_frame : thread->stack_end;
    return combine(combine(5, thread_path(thread->index)), top - address);
  }
  if (const Thread* thread = whose_thread_locals(address)) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(thread->context.tp);
    return combine(combine(8, thread_path(thread->index)), address - begin);
  }
  // Libc's heap, say: without a name that lasts its places in the program will have to do.
  return g_embedded ? 6 : combine(6, address);
}

}  // namespace jostle::rt
