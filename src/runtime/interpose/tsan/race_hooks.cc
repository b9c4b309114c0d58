// SPDX-License-Identifier: Apache-2.0
// What a program tells the race detector by itself: <sanitizer/tsan_interface.h>, and the
// dynamic annotations.
#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/race_annotations.h"
#include "src/runtime/memory/races.h"

using namespace jostle::rt;

namespace {

// Locks of the program's own making, as __tsan_mutex_… describes them.
constexpr unsigned kReadLock = 1 << 3, kTryLockFailed = 1 << 5;

void ignore(uint64_t what, bool begins) {
  if (!controlled()) return;
  uint64_t& ignored = g_current->ignored_accesses;
  ignored = begins ? ignored + what : ignored - what;
}

// The address that an annotation names may be that of an atomic, whose relaxed stores end what it
// has published: annotations are kept under names of their own.
uintptr_t name_of(const volatile void* object) {
  return reinterpret_cast<uintptr_t>(object) | uintptr_t{1} << 62;
}
void acquire(const volatile void* object) {
  if (controlled()) g_races.acquire(name_of(object));
}
void release(const volatile void* object) {
  if (controlled()) g_races.release(name_of(object));
}
void lock(void* object, bool writes) {
  if (!controlled()) return;
  g_races.lock(reinterpret_cast<uintptr_t>(object),
               writes ? jostle::OpKind::rwlock_write : jostle::OpKind::rwlock_read);
}
void unlock(void* object, bool writes) {
  if (!controlled()) return;
  g_races.unlock(reinterpret_cast<uintptr_t>(object),
                 writes ? jostle::OpKind::rwlock_write : jostle::OpKind::rwlock_read);
}
void benign(const volatile void* memory, size_t size) {
  if (controlled()) note_benign(reinterpret_cast<uintptr_t>(memory), size);
}

}  // namespace

JOSTLE_HOOK void __tsan_acquire(void* object) { acquire(object); }
JOSTLE_HOOK void __tsan_release(void* object) { release(object); }
JOSTLE_HOOK void AnnotateHappensBefore(const char*, int, const volatile void* p) { release(p); }
JOSTLE_HOOK void AnnotateHappensAfter(const char*, int, const volatile void* p) { acquire(p); }
JOSTLE_HOOK void WTFAnnotateHappensBefore(const char*, int, const volatile void* p) { release(p); }
JOSTLE_HOOK void WTFAnnotateHappensAfter(const char*, int, const volatile void* p) { acquire(p); }

JOSTLE_HOOK void __tsan_mutex_post_lock(void* object, unsigned flags, int) {
  if (!(flags & kTryLockFailed)) lock(object, !(flags & kReadLock));
}
JOSTLE_HOOK int __tsan_mutex_pre_unlock(void* object, unsigned flags) {
  unlock(object, !(flags & kReadLock));
  return 0;
}
JOSTLE_HOOK void AnnotateRWLockAcquired(const char*, int, void* object, unsigned long writes) {
  lock(object, writes != 0);
}
JOSTLE_HOOK void AnnotateRWLockReleased(const char*, int, void* object, unsigned long writes) {
  unlock(object, writes != 0);
}

JOSTLE_HOOK void __tsan_ignore_thread_begin() { ignore(kOneIgnoredRead + kOneIgnoredWrite, true); }
JOSTLE_HOOK void __tsan_ignore_thread_end() { ignore(kOneIgnoredRead + kOneIgnoredWrite, false); }
JOSTLE_HOOK void AnnotateIgnoreReadsBegin(const char*, int) { ignore(kOneIgnoredRead, true); }
JOSTLE_HOOK void AnnotateIgnoreReadsEnd(const char*, int) { ignore(kOneIgnoredRead, false); }
JOSTLE_HOOK void AnnotateIgnoreWritesBegin(const char*, int) { ignore(kOneIgnoredWrite, true); }
JOSTLE_HOOK void AnnotateIgnoreWritesEnd(const char*, int) { ignore(kOneIgnoredWrite, false); }

JOSTLE_HOOK void AnnotateBenignRace(const char*, int, const volatile void* memory, const char*) {
  benign(memory, 1);
}
JOSTLE_HOOK void AnnotateBenignRaceSized(const char*, int, const volatile void* memory, size_t size,
                                         const char*) {
  benign(memory, size);
}
JOSTLE_HOOK void WTFAnnotateBenignRaceSized(const char*, int, const volatile void* memory,
                                            size_t size, const char*) {
  benign(memory, size);
}
