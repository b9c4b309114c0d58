// SPDX-License-Identifier: Apache-2.0
// Which blocks were reached, and a list of those that were not: for oracle/leaks.h.
#include "src/runtime/heap/heap.h"
#include "src/runtime/heap/heap_blocks.h"
#include "src/runtime/heap/heap_history.h"

namespace jostle::rt {
namespace {

using namespace heap;

channel::LeakRecord* leak_of(channel::RunRecord& run, uintptr_t pc) {
  for (uint32_t i = 0; i < run.leak_count; ++i) {
    if (run.leaks[i].allocated_at.pc[0] == pc) return &run.leaks[i];
  }
  if (run.leak_count == channel::kMaxLeaks) return nullptr;
  channel::LeakRecord& leak = run.leaks[run.leak_count++];
  leak = {};
  leak.allocated_at.depth = 1;
  leak.allocated_at.pc[0] = pc;
  return &leak;
}

}  // namespace

bool heap_mark_reached(uintptr_t pointer, uintptr_t& begin, uintptr_t& end) {
  if (!in_heap(pointer)) return false;
  const HeapBlock block = heap_block_of(pointer);
  if (block.begin == 0) return false;
  Header* header = header_of(reinterpret_cast<void*>(block.begin));
  if (header->state != kLive || header->is_reached) return false;
  header->is_reached = 1;
  begin = block.begin;
  end = block.begin + header->size;
  return true;
}

uint32_t heap_list_unreached(channel::RunRecord& run) {
  run.leak_count = 0;
  if (!g_control) return 0;
  for (char* at = reinterpret_cast<char*>(g_control) + kFirstBlock; at < g_control->next;) {
    auto* header = reinterpret_cast<Header*>(at);
    at += sizeof(Header) + capacity_of(header->size_class);
    if (header->state != kLive || header->pc == 0) continue;
    if (header->is_reached) {
      header->is_reached = 0;
      continue;
    }
    channel::LeakRecord* leak = leak_of(run, header->pc);
    if (!leak) continue;
    if (leak->blocks++ == 0) {
      leak->thread = header->thread;
      channel::ObjectRecord object{};
      g_heap_history.describe(begin_of(header), object);
      if (object.allocated_at.depth != 0) leak->allocated_at = object.allocated_at;
    }
    leak->bytes += asked_size(header);
  }
  return run.leak_count;
}

}  // namespace jostle::rt
