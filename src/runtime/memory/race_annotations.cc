// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/race_annotations.h"

#include "src/base/engine_memory.h"

namespace jostle::rt {
namespace {

struct Range {
  uintptr_t begin;
  size_t size;
};
// Most often said by constructors before main: part of the image that runs start from.
constinit RunVector<Range> g_benign;

}  // namespace

void note_benign(uintptr_t begin, size_t size) { g_benign.push_back({begin, size}); }

bool is_benign(uintptr_t address) {
  for (const Range& range : g_benign) {
    if (address - range.begin < range.size) return true;
  }
  return false;
}

}  // namespace jostle::rt
