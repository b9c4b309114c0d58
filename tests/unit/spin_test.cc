// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/spin.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace jostle::sync {
namespace {

constexpr Owner kA = owner_with_index(1);
constexpr Owner kB = owner_with_index(2);

class SpinObject {
 public:
  SpinObject() { EXPECT_EQ(pthread_spin_init(&object_, PTHREAD_PROCESS_PRIVATE), 0); }
  operator Spin&() { return state_of(&object_); }
  pthread_spinlock_t* posix() { return &object_; }

 private:
  pthread_spinlock_t object_;
};

TEST(Spin, LockAndUnlock) {
  SpinObject spin;
  EXPECT_FALSE(is_held(spin));
  EXPECT_EQ(try_lock(spin, kA), 0);
  EXPECT_TRUE(is_held_by(spin, kA));
  EXPECT_FALSE(is_held_by(spin, kB));
  EXPECT_EQ(try_lock(spin, kB), EBUSY);
  EXPECT_EQ(try_lock(spin, kA), EBUSY);
  EXPECT_EQ(unlock(spin, kA), 0);
  EXPECT_FALSE(is_held(spin));
  EXPECT_EQ(try_lock(spin, kB), 0);
}

TEST(Spin, UnlockByOthersIsMisuse) {
  SpinObject spin;
  EXPECT_EQ(unlock(spin, kA), kMisuse);
  try_lock(spin, kA);
  EXPECT_EQ(unlock(spin, kB), kMisuse);
  EXPECT_TRUE(is_held_by(spin, kA));
}

TEST(Spin, DestroyedIsNobodys) {
  SpinObject spin;
  EXPECT_FALSE(is_destroyed(spin));
  EXPECT_EQ(try_lock(spin, kA), 0);
  EXPECT_FALSE(is_destroyed(spin));
  EXPECT_EQ(unlock(spin, kA), 0);
  destroy(spin);
  EXPECT_TRUE(is_destroyed(spin));
  EXPECT_EQ(try_lock(spin, kA), EBUSY);
  EXPECT_EQ(unlock(spin, kA), kMisuse);
  EXPECT_EQ(pthread_spin_init(spin.posix(), PTHREAD_PROCESS_PRIVATE), 0);
  EXPECT_FALSE(is_destroyed(spin));
}

TEST(Spin, HeldByUsIsHeldToTheRealLibc) {
  SpinObject spin;
  try_lock(spin, kA);
  EXPECT_EQ(pthread_spin_trylock(spin.posix()), EBUSY);
}

TEST(Spin, TakenByTheRealLibcBelongsToTheMainThread) {
  SpinObject spin;
  try_lock(spin, kA);
  unlock(spin, kA);
  EXPECT_EQ(pthread_spin_trylock(spin.posix()), 0);
  EXPECT_TRUE(is_held_by(spin, kMainThread));
  EXPECT_EQ(unlock(spin, kMainThread), 0);
  EXPECT_EQ(pthread_spin_trylock(spin.posix()), 0);
}

}  // namespace
}  // namespace jostle::sync
