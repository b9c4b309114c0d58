// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/leaks.h"

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/fiber/donor.h"
#include "src/runtime/fiber/stack_pool.h"
#include "src/runtime/heap/heap.h"
#include "src/runtime/image/image.h"
#include "src/runtime/image/maps.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

JOSTLE_KEPT constinit EngineVector<MapRange> g_to_scan;
JOSTLE_KEPT constinit EngineVector<MapRange> g_not_roots;

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

// Blocks that something in the range points to are scanned in turn.
__attribute__((no_sanitize("address"))) void scan(uintptr_t begin, uintptr_t end) {
  for (uintptr_t p = (begin + 7) & ~uintptr_t{7}; p + 8 <= end; p += 8) {
    MapRange block;
    if (heap_mark_reached(*reinterpret_cast<const uintptr_t*>(p), block.begin, block.end)) {
      g_to_scan.push_back(block);
    }
  }
}

void scan_rest(uintptr_t begin, uintptr_t end) {
  for (const MapRange& out : g_not_roots) {
    if (out.begin >= end || out.end <= begin) continue;
    if (out.begin > begin) scan_rest(begin, out.begin);
    begin = out.end;
    if (begin >= end) return;
  }
  scan(begin, end);
}

void leave_out(const MemoryUse& use) {
  g_not_roots.push_back({number(use.begin), number(use.end)});
}

void scan_threads(uintptr_t own_stack_pointer) {
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* t = g_scheduler.thread_at(id);
    if (!t || !t->live) continue;
    const bool runs = t == &g_scheduler.self();
    const uintptr_t top = runs ? own_stack_pointer : number(t->context.sp);
    if (top >= t->stack_begin && top < t->stack_end) scan(top, t->stack_end);
    const void* tp = runs ? thread_pointer() : t->context.tp;
    for_each_tls_range(tp, [](uintptr_t begin, size_t size) { scan(begin, begin + size); });
    for (int key = 0; t->key_values && key < kMaxKeys; ++key) {
      const uintptr_t at = number(&t->key_values[key]);
      scan(at, at + sizeof(void*));
    }
  }
}

void scan_everything(uintptr_t own_stack_pointer) {
  g_to_scan.clear();
  g_not_roots.clear();
  leave_out(engine_memory_use());
  leave_out(heap_use());
  leave_out(donor_memory());
  leave_out(run_memory_use());  // mostly reserved only
  scan(number(run_memory_use().begin), number(run_memory_use().next));
  MapRange stacks;
  stack_reservation(stacks.begin, stacks.end);
  g_not_roots.push_back(stacks);
  const Thread& main = *g_scheduler.thread_at(0);
  g_not_roots.push_back({main.stack_begin, main.stack_end});
  for (int i = 0; shared_engine_memory(i).begin; ++i) leave_out(shared_engine_memory(i));
  scan_threads(own_stack_pointer);
  for_each_mapping([](const Mapping& mapping) {
    const bool of_kernel =
        mapping.name[0] == '[' && mapping.name[1] != 'h' && mapping.name[1] != 'a';
    // Pages that no run has written so far are protected.
    const bool writable = mapping.writable || image_overlaps(reinterpret_cast<void*>(mapping.begin),
                                                             mapping.end - mapping.begin);
    if (mapping.readable && writable && !of_kernel) scan_rest(mapping.begin, mapping.end);
  });
  while (!g_to_scan.empty()) {
    const MapRange block = g_to_scan.pop_back();
    scan(block.begin, block.end);
  }
}

}  // namespace

void check_leaks() {
  const channel::Channel& channel = g_scheduler.channel();
  const channel::RunRecord& run = channel.record;
  if (!(channel.config.checks & channel::kCheckLeak)) return;
  if (run.end.outcome != channel::Outcome::exited) return;
  __builtin_unwind_init();  // registers onto the stack
  Thread* self = g_current;
  g_current = nullptr;
  scan_everything(number(__builtin_frame_address(0)));
  const uint32_t places = heap_list_unreached(g_scheduler.record());
  g_current = self;
  if (places != 0) fail_leak();
}

}  // namespace jostle::rt
