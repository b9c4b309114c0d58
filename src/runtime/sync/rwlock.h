// SPDX-License-Identifier: Apache-2.0
// A read-write lock: pthread_rwlock_t of every kind.
//
// The default kind (and PTHREAD_RWLOCK_PREFER_WRITER_NP, which glibc treats alike here) lets
// readers in past waiting writers. PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP holds new readers
// back while a writer waits, so for that kind a writer that has to wait is counted in the lock
// itself.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "src/runtime/sync/owner.h"

namespace jostle::sync {

struct Rwlock {
  uint32_t readers;  // glibc: bit 1: held for writing; from bit 3 on: number of readers
  uint32_t glibc_writers, glibc_phase, glibc_futex;
  uint32_t known_readers;    // those that came while we were in control
  uint32_t waiting_writers;  // only counted for kinds that prefer them
  int32_t writer;            // see Owner
  int32_t shared;
  uint64_t unused;
  uint64_t reader_sum;  // of the known readers' Owner values: 0 again when exactly they have left
  uint32_t kind;
};
static_assert(sizeof(Rwlock) <= sizeof(pthread_rwlock_t));
static_assert(offsetof(Rwlock, readers) == offsetof(pthread_rwlock_t, __data.__readers));
static_assert(offsetof(Rwlock, known_readers) == offsetof(pthread_rwlock_t, __data.__pad3));
static_assert(offsetof(Rwlock, waiting_writers) == offsetof(pthread_rwlock_t, __data.__pad4));
static_assert(offsetof(Rwlock, writer) == offsetof(pthread_rwlock_t, __data.__cur_writer));
static_assert(offsetof(Rwlock, reader_sum) == offsetof(pthread_rwlock_t, __data.__pad2));
static_assert(offsetof(Rwlock, kind) == offsetof(pthread_rwlock_t, __data.__flags));

inline Rwlock& state_of(pthread_rwlock_t* lock) { return *reinterpret_cast<Rwlock*>(lock); }

inline constexpr uint32_t kMaxReaders = (1u << 28) - 1;

bool is_initialised(const Rwlock& lock);
bool is_destroyed(const Rwlock& lock);
void destroy(Rwlock& lock);

inline bool is_shared(const Rwlock& lock) { return lock.shared != 0; }
uint32_t reader_count(const Rwlock& lock);
bool is_held(const Rwlock& lock);
bool is_held_for_writing(const Rwlock& lock);
bool is_held_for_writing_by(const Rwlock& lock, Owner who);
bool prefers_writers(const Rwlock& lock);

// Would it return now? (With success or with an error.)
bool can_read(const Rwlock& lock, Owner me);
bool can_write(const Rwlock& lock, Owner me);
// The same for somebody who does not hold it.
inline bool is_readable(const Rwlock& lock) { return can_read(lock, Owner::nobody); }
inline bool is_writable(const Rwlock& lock) { return can_write(lock, Owner::nobody); }
// Only when `can_read`, `can_write`. 0; EDEADLK: it holds it for writing; EAGAIN: too many readers.
int lock_read(Rwlock& lock, Owner me);
int lock_write(Rwlock& lock, Owner me);
// 0, EBUSY, EAGAIN.
int try_lock_read(Rwlock& lock, Owner me);
int try_lock_write(Rwlock& lock, Owner me);
// 0; kMisuse: `me` does not hold it. Among several readers a false one shows only when the last one
// unlocks.
int unlock(Rwlock& lock, Owner me);

// A writer that wants it; and it does so no more. Without effect where writers are not preferred.
void add_waiting_writer(Rwlock& lock);
void remove_waiting_writer(Rwlock& lock);

}  // namespace jostle::sync
