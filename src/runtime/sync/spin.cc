// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/spin.h"

#include <cerrno>

#include "src/base/check.h"

namespace jostle::sync {
namespace {

#ifdef __x86_64__
// 1 is free, 0 and below are held: the owner is stored negated.
constexpr int32_t kFree = 1;
constexpr int32_t held_by(Owner who) { return -static_cast<int32_t>(who); }
constexpr Owner owner_in(int32_t word) {
  return word == 0 ? kMainThread : stored_owner(-word);  // 0: taken before our control began
}
#else
// glibc's generic code: 0 is free, 1 is held.
constexpr int32_t kFree = 0;
constexpr int32_t held_by(Owner who) { return static_cast<int32_t>(who); }
constexpr Owner owner_in(int32_t word) { return stored_owner(word); }
#endif

// No owner has it: they are small numbers.
constexpr int32_t kDestroyed = INT32_MIN + 1;

}  // namespace

bool is_destroyed(const Spin& lock) { return lock == kDestroyed; }
void destroy(Spin& lock) { lock = kDestroyed; }

bool is_held(const Spin& lock) { return lock != kFree; }
bool is_held_by(const Spin& lock, Owner who) { return is_held(lock) && owner_in(lock) == who; }

int try_lock(Spin& lock, Owner me) {
  if (is_held(lock)) return EBUSY;
  lock = held_by(me);
  JOSTLE_CHECK(is_held_by(lock, me) && !is_destroyed(lock));
  return 0;
}

int unlock(Spin& lock, Owner me) {
  if (!is_held_by(lock, me)) return kMisuse;
  lock = kFree;
  JOSTLE_CHECK(!is_held(lock));
  return 0;
}

}  // namespace jostle::sync
