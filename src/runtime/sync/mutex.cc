// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/mutex.h"

#include "src/base/check.h"

namespace jostle::sync {
namespace {

// Bits of Mutex::kind, as glibc's nptl/pthreadP.h has them.
constexpr int32_t kTypeMask = 3;
constexpr int32_t kRecursive = 1;
constexpr int32_t kErrorCheck = 2;
constexpr int32_t kRobust = 16;
constexpr int32_t kPriorityInherit = 32;
constexpr int32_t kPriorityProtect = 64;
constexpr int32_t kShared = 128;
constexpr int32_t kElision = 256;
constexpr int32_t kNoElision = 512;
constexpr int32_t kKnownBits =
    kTypeMask | kRobust | kPriorityInherit | kPriorityProtect | kShared | kElision | kNoElision;
constexpr int32_t kDestroyed = -1;

// The ceiling's place in Mutex::lock.
constexpr int kCeilingShift = 19;
constexpr uint32_t kCeilingMask = ~uint32_t{0} << kCeilingShift;
// sched_get_priority_min and _max of SCHED_FIFO on Linux.
constexpr int kLowestCeiling = 1;
constexpr int kHighestCeiling = 99;

enum RobustState : uint16_t {
  kConsistent,
  kOwnerDead,       // free, its last owner ended while it held it
  kInconsistent,    // held by a thread that knows
  kNotRecoverable,  // unlocked without having been made consistent: for ever
};

int32_t type(const Mutex& m) { return m.kind & kTypeMask; }

uint32_t ceiling_bits(const Mutex& m) {
  return m.kind & kPriorityProtect ? m.lock & kCeilingMask : 0;
}

bool not_recoverable(const Mutex& m) { return is_robust(m) && m.robust_state == kNotRecoverable; }

void set_held(Mutex& m, Owner me) {
  JOSTLE_CHECK(me != Owner::nobody && (static_cast<int32_t>(me) & kOwnerTag) != 0);
  JOSTLE_CHECK(!is_held(m));
  m.owner = static_cast<int32_t>(me);
  m.lock = ceiling_bits(m) | 1;
  m.users = 1;
  m.count = type(m) == kRecursive ? 1 : 0;
  JOSTLE_CHECK(is_held_by(m, me));
  JOSTLE_CHECK_EQ(depth(m), 1);
}

void set_free(Mutex& m) {
  m.owner = 0;
  m.lock = ceiling_bits(m);
  m.users = 0;
  m.count = 0;
  JOSTLE_CHECK(!is_held(m) && depth(m) == 0);
}

int lock_again(Mutex& m) {
  if (m.count + 1 == 0) return EAGAIN;
  ++m.count;
  JOSTLE_CHECK(depth(m) != 0);
  return 0;
}

int acquire(Mutex& m, Owner me) {
  set_held(m, me);
  if (!is_robust(m) || m.robust_state != kOwnerDead) return 0;
  m.robust_state = kInconsistent;
  return EOWNERDEAD;
}

}  // namespace

bool is_initialised(const Mutex& m) { return (m.kind & ~kKnownBits) == 0; }
bool is_destroyed(const Mutex& m) { return m.kind == kDestroyed; }
void destroy(Mutex& m) { m.kind = kDestroyed; }

bool is_robust(const Mutex& m) { return m.kind & kRobust; }
bool is_shared(const Mutex& m) { return m.kind & kShared; }
bool is_held(const Mutex& m) { return m.owner != 0; }
bool is_held_by(const Mutex& m, Owner who) { return is_held(m) && holder(m) == who; }
Owner holder(const Mutex& m) { return stored_owner(__atomic_load_n(&m.owner, __ATOMIC_RELAXED)); }

bool checks_owner(const Mutex& m) {
  return type(m) == kRecursive || type(m) == kErrorCheck || (m.kind & (kRobust | kPriorityInherit));
}

uint32_t depth(const Mutex& m) {
  if (!is_held(m)) return 0;
  return type(m) == kRecursive ? m.count : 1;
}

bool can_lock(const Mutex& m, Owner me) {
  if (!is_held(m) || not_recoverable(m)) return true;
  return is_held_by(m, me) && (type(m) == kRecursive || type(m) == kErrorCheck);
}

int lock(Mutex& m, Owner me) {
  JOSTLE_CHECK(can_lock(m, me));
  if (not_recoverable(m)) return ENOTRECOVERABLE;
  if (!is_held(m)) return acquire(m, me);
  return type(m) == kRecursive ? lock_again(m) : EDEADLK;
}

int try_lock(Mutex& m, Owner me) {
  if (not_recoverable(m)) return ENOTRECOVERABLE;
  if (!is_held(m)) return acquire(m, me);
  if (!is_held_by(m, me)) return EBUSY;
  if (type(m) == kRecursive) return lock_again(m);
  // glibc answers a second trylock so only in its code for mutexes with attributes.
  const bool has_attributes = m.kind & (kRobust | kPriorityInherit | kPriorityProtect);
  return type(m) == kErrorCheck && has_attributes ? EDEADLK : EBUSY;
}

int unlock(Mutex& m, Owner me) {
  if (!is_held_by(m, me)) return checks_owner(m) ? EPERM : kMisuse;
  const bool inconsistent = is_robust(m) && m.robust_state == kInconsistent;
  if (type(m) == kRecursive && --m.count != 0) return inconsistent ? ENOTRECOVERABLE : 0;
  set_free(m);
  if (inconsistent) m.robust_state = kNotRecoverable;
  return 0;
}

void owner_died(Mutex& m) {
  JOSTLE_CHECK(is_robust(m));
  set_free(m);
  m.robust_state = kOwnerDead;
}

int make_consistent(Mutex& m, Owner me) {
  if (!is_robust(m) || m.robust_state != kInconsistent) return EINVAL;
  if (!is_held_by(m, me)) return kMisuse;
  m.robust_state = kConsistent;
  return 0;
}

int check_ceiling(const Mutex& m, int ceiling) {
  if (!(m.kind & kPriorityProtect)) return EINVAL;
  return ceiling < kLowestCeiling || ceiling > kHighestCeiling ? EINVAL : 0;
}

int exchange_ceiling(Mutex& m, int ceiling) {
  JOSTLE_CHECK_EQ(check_ceiling(m, ceiling), 0);
  const uint32_t old = (m.lock & kCeilingMask) >> kCeilingShift;
  m.lock = (m.lock & ~kCeilingMask) | static_cast<uint32_t>(ceiling) << kCeilingShift;
  return static_cast<int>(old);
}

}  // namespace jostle::sync
