// SPDX-License-Identifier: Apache-2.0
// A mutex: pthread_mutex_t and mtx_t, of every type (normal, recursive, error checking, adaptive),
// robust or not, with any priority protocol. Priorities have no meaning on virtual processors: the
// protocols are accepted, and the ceiling is stored and given back.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "src/runtime/sync/owner.h"

namespace jostle::sync {

struct Mutex {
  uint32_t lock;   // bit 0: held. With a priority ceiling also that, in the upper 13 bits
  uint32_t count;  // how often its owner has locked it, for recursive mutexes only
  int32_t owner;   // see Owner; the truth about "is it held"
  uint32_t users;
  int32_t kind;           // type and attribute bits
  uint16_t robust_state;  // glibc's spin counter; robust mutexes never spin
  uint16_t unused;
  void* list[2];
};
static_assert(sizeof(Mutex) <= sizeof(pthread_mutex_t));
static_assert(offsetof(Mutex, lock) == offsetof(pthread_mutex_t, __data.__lock));
static_assert(offsetof(Mutex, count) == offsetof(pthread_mutex_t, __data.__count));
static_assert(offsetof(Mutex, owner) == offsetof(pthread_mutex_t, __data.__owner));
static_assert(offsetof(Mutex, users) == offsetof(pthread_mutex_t, __data.__nusers));
static_assert(offsetof(Mutex, kind) == offsetof(pthread_mutex_t, __data.__kind));
static_assert(offsetof(Mutex, robust_state) == offsetof(pthread_mutex_t, __data.__spins));

inline Mutex& state_of(pthread_mutex_t* mutex) { return *reinterpret_cast<Mutex*>(mutex); }

// False after pthread_mutex_destroy, and for memory that never was a mutex.
bool is_initialised(const Mutex& mutex);
bool is_destroyed(const Mutex& mutex);
void destroy(Mutex& mutex);

bool is_robust(const Mutex& mutex);
bool is_shared(const Mutex& mutex);
bool is_held(const Mutex& mutex);
bool is_held_by(const Mutex& mutex, Owner who);
Owner holder(const Mutex& mutex);
// Does an unlock by somebody else fail with EPERM? Otherwise it is undefined.
bool checks_owner(const Mutex& mutex);
// How often `lock` succeeded without its `unlock`; 0 or 1 unless recursive.
uint32_t depth(const Mutex& mutex);

// Would `lock` return now? (With success or with an error.) A second lock of a normal mutex by its
// owner never does.
bool can_lock(const Mutex& mutex, Owner me);
// The same for somebody who does not hold it.
inline bool is_available(const Mutex& mutex) { return can_lock(mutex, Owner::nobody); }
// Only when `can_lock`. 0, EOWNERDEAD (locked, too), EDEADLK, EAGAIN (too deep), ENOTRECOVERABLE.
int lock(Mutex& mutex, Owner me);
// As `lock`, and EBUSY.
int try_lock(Mutex& mutex, Owner me);
constexpr bool is_acquired(int code) { return code == 0 || code == EOWNERDEAD; }
// 0, EPERM, kMisuse; ENOTRECOVERABLE for an inner unlock while the state is inconsistent.
int unlock(Mutex& mutex, Owner me);

// The owner of a robust mutex has ended: the next lock says EOWNERDEAD.
void owner_died(Mutex& mutex);
// 0; EINVAL when it is not robust or not inconsistent; kMisuse when somebody else holds it.
int make_consistent(Mutex& mutex, Owner me);

// EINVAL without the PTHREAD_PRIO_PROTECT protocol, or when there is no such priority.
int check_ceiling(const Mutex& mutex, int ceiling);
// Returns the old one.
int exchange_ceiling(Mutex& mutex, int ceiling);

}  // namespace jostle::sync
