// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/permits.h"

#include <algorithm>

#include "src/base/kept.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {
namespace {

// What does not fit counts as posted by anybody.
constexpr uint32_t kMost = 64;
JOSTLE_KEPT Permit g_permits[kMost];
JOSTLE_KEPT uint32_t g_count = 0;

constexpr ThreadId kSignal = kNoThread;  // in place of the thread: the semaphore is a signal

Permit* find(uintptr_t semaphore, ThreadId thread) {
  Permit* const end = g_permits + g_count;
  Permit* const found = std::find_if(g_permits, end, [&](const Permit& permit) {
    return permit.semaphore == semaphore && permit.thread == thread;
  });
  return found == end ? nullptr : found;
}

void remove(Permit& permit) { permit = g_permits[--g_count]; }

}  // namespace

void forget_permits() { g_count = 0; }

void forget_permits_of(uintptr_t semaphore) {
  for (uint32_t i = g_count; i-- > 0;) {
    if (g_permits[i].semaphore == semaphore) remove(g_permits[i]);
  }
}

void note_permit_taken(uintptr_t semaphore, uint64_t room) {
  if (g_count == kMost || find(semaphore, kSignal) != nullptr) return;
  for (const Permit& permit : permits()) room += permit.semaphore == semaphore ? 1 : 0;
  if (room > UINT32_MAX) return;
  g_permits[g_count++] = {semaphore, g_current->index, static_cast<uint32_t>(room)};
}

void note_permit_given(uintptr_t semaphore) {
  Permit* const own = find(semaphore, g_current->index);
  if (own != nullptr) return remove(*own);
  if (find(semaphore, kSignal) != nullptr) return;
  forget_permits_of(semaphore);
  if (g_count < kMost) g_permits[g_count++] = {semaphore, kSignal, 0};
}

Permits permits() { return {g_permits, g_count}; }

}  // namespace jostle::rt
