// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/sharing.h"

#include "src/base/check.h"
#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

JOSTLE_KEPT SharingCell* g_sharing = nullptr;
JOSTLE_KEPT SharingCell* g_watched = nullptr;

namespace {
JOSTLE_KEPT uint32_t g_phases_left = 0;  // of this run
constexpr uint32_t kPhases = 64;         // of one run
constexpr uint32_t kForEpochs = 8;  // the last ones: an epoch spares more than a new thread's phase
constexpr SharingCell kAllPhases = ((kOwnerMask >> kOwnerBits) - 1) / kPhases;
constexpr SharingCell kNobodys = (1u << kOwnerBits) - 1;
JOSTLE_KEPT constinit EngineVector<uint32_t> g_touched;
}  // namespace

JOSTLE_KEPT uint32_t g_sharing_epoch = 0;
JOSTLE_KEPT uint32_t g_first_phase = 1, g_last_phase = 1;
JOSTLE_KEPT uint16_t g_joined_by[1u << kOwnerBits] = {};
JOSTLE_KEPT bool g_sharing_per_run = false;
JOSTLE_KEPT SharingCell g_mark = 1u << kOwnerBits | kNobodys;

void note_second_thread() {
  g_watched = g_sharing;
  g_fast_path.watched = g_embedded ? nullptr : g_sharing;
}

void note_only_thread() {
  g_watched = nullptr;
  g_fast_path.watched = nullptr;
}

SharingCell* map_sharing_table() {
  return static_cast<SharingCell*>(map_shared_engine_memory(kSharingCells * sizeof(SharingCell)));
}

void init_sharing() { g_sharing = map_sharing_table(); }

void begin_sharing_run(uint64_t run) {
  g_sharing_epoch = 0;
  g_phases_left = kPhases - 1;
  g_first_phase = g_last_phase = static_cast<uint32_t>(run % kAllPhases) * kPhases + 1;
  g_mark = sharing_tag_of(kNobodys);
  note_sharing_begins(sharing_tag_of(0));
  JOSTLE_CHECK_EQ(g_mark & kVisible, 0);
  JOSTLE_CHECK(phase_of(g_mark) != 0);  // an empty cell is nobody's mark
}

namespace {

void next_phase() {
  JOSTLE_CHECK(g_phases_left != 0);
  --g_phases_left;
  ++g_last_phase;
  JOSTLE_CHECK_LE(g_last_phase, phase_of(kOwnerMask));
}

}  // namespace

bool begin_sharing_epoch() {
  if (g_phases_left == 0) return false;
  next_phase();
  g_first_phase = g_last_phase;
  ++g_sharing_epoch;
  return true;
}

uint32_t begin_sharing_phase(SharingCell& tag) {
  // Alone it has not touched anything in this phase.
  if (!several_threads()) return g_last_phase;
  if (g_phases_left <= kForEpochs) return g_first_phase;
  next_phase();
  tag = sharing_tag_of(owner_of(tag));
  return g_last_phase;
}

void note_sharing_begins(SharingCell tag) { g_joined_by[owner_of(tag)] = 0; }

void note_sharing_joined(SharingCell tag, SharingCell by) {
  g_joined_by[owner_of(tag)] = static_cast<uint16_t>(owner_of(by) | kIsJoined);
}

SharingCell sharing_tag_of(uint32_t thread_index) {
  return g_last_phase << kOwnerBits | owner_of(thread_index);
}

void keep_sharing_per_run() { g_sharing_per_run = true; }

void note_touched_cell(uintptr_t address) {
  g_touched.push_back(static_cast<uint32_t>(sharing_index(address)));
}

void forget_run_sharing() {
  for (const uint32_t index : g_touched) g_sharing[index] = 0;
  g_touched.clear();
}

void forget_owners(uintptr_t begin, uintptr_t size) {
  // Large blocks are not worth the walk: their owners go when others touch them.
  constexpr uintptr_t kLimit = 4096;
  const uintptr_t end = begin + (size < kLimit ? size : kLimit);
  for (uintptr_t p = begin & ~uintptr_t{7}; p < end; p += 8) sharing_cell(p) &= kVisible;
}

void forget_sharing(uintptr_t begin, uintptr_t size) {
  constexpr uintptr_t kLimit = 16 << 20;  // what is larger is not there in many runs
  if (size > kLimit) return forget_owners(begin, size);
  for (uintptr_t p = begin & ~uintptr_t{7}; p < begin + size; p += 8) sharing_cell(p) = 0;
}

void mark(uintptr_t begin, uintptr_t size) {
  if (!g_sharing) return;
  for (uintptr_t p = begin & ~uintptr_t{7}; p < begin + size; p += 8) {
    SharingCell& cell = sharing_cell(p);
    cell = (cell & kVisible) | g_mark;
  }
}

void forget_marks(uintptr_t begin, uintptr_t size) {
  if (!g_sharing) return;
  for (uintptr_t p = begin & ~uintptr_t{7}; p < begin + size; p += 8) forget_mark(p);
}

}  // namespace jostle::rt
