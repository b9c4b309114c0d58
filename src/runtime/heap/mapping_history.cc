// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/heap/mapping_history.h"

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

constexpr uint32_t kDepth = 20;
struct Mapping {
  uintptr_t begin, size;
  uint32_t thread;
  uint32_t depth;
  uintptr_t pc[kDepth];
};

// The last ones.
constexpr uint64_t kMost = 256;
JOSTLE_KEPT Mapping* g_mappings = nullptr;
JOSTLE_KEPT uint64_t g_count = 0;

}  // namespace

void note_mapping(uintptr_t begin, size_t size, uintptr_t pc) {
  if (!g_scheduler.recording()) return;
  if (!g_mappings) g_mappings = static_cast<Mapping*>(engine_allocate(kMost * sizeof(Mapping)));
  Mapping& mapping = g_mappings[g_count++ % kMost];
  mapping.begin = begin;
  mapping.size = size;
  mapping.thread = g_current->index;
  mapping.depth = 0;
  mapping.pc[mapping.depth++] = pc;
  const CallStack& calls = g_current->calls;
  for (uint32_t i = 0; i < calls.depth() && mapping.depth < kDepth; ++i) {
    mapping.pc[mapping.depth++] = calls.caller(i);
  }
}

bool describe_mapping(uintptr_t address, channel::ObjectRecord& object) {
  // The latest: what was there before is gone.
  const uint64_t oldest = g_count > kMost ? g_count - kMost : 0;
  for (uint64_t i = g_count; i-- > oldest;) {
    const Mapping& mapping = g_mappings[i % kMost];
    if (address < mapping.begin || address - mapping.begin >= mapping.size) continue;
    object.region = channel::Region::mapping;
    object.thread = mapping.thread;
    object.offset = address - mapping.begin;
    object.size = mapping.size;
    object.allocated_at.depth = mapping.depth;
    for (uint32_t k = 0; k < mapping.depth; ++k) object.allocated_at.pc[k] = mapping.pc[k];
    return true;
  }
  return false;
}

}  // namespace jostle::rt
