// SPDX-License-Identifier: Apache-2.0
// A spin lock: pthread_spinlock_t, one word. It has room for its owner, because glibc's code takes
// every other value than "free" for "held".
#pragma once

#include <pthread.h>

#include <cstdint>

#include "src/runtime/sync/owner.h"

namespace jostle::sync {

using Spin = volatile int32_t;
static_assert(sizeof(Spin) == sizeof(pthread_spinlock_t));

inline Spin& state_of(pthread_spinlock_t* lock) { return *lock; }

// A destroyed one looks held by nobody.
bool is_destroyed(const Spin& lock);
void destroy(Spin& lock);

bool is_held(const Spin& lock);
bool is_held_by(const Spin& lock, Owner who);
// 0 or EBUSY.
int try_lock(Spin& lock, Owner me);
// 0, or kMisuse when `me` does not hold it.
int unlock(Spin& lock, Owner me);

}  // namespace jostle::sync
