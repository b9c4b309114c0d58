// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/rwlock.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace jostle::sync {
namespace {

constexpr Owner kA = owner_with_index(1);
constexpr Owner kB = owner_with_index(2);
constexpr Owner kC = owner_with_index(3);

class RwlockObject {
 public:
  explicit RwlockObject(int kind = PTHREAD_RWLOCK_DEFAULT_NP) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes, kind);
    EXPECT_EQ(pthread_rwlock_init(&object_, &attributes), 0);
  }
  operator Rwlock&() { return state_of(&object_); }
  Rwlock* operator->() { return &state_of(&object_); }
  pthread_rwlock_t* posix() { return &object_; }

 private:
  pthread_rwlock_t object_;
};

TEST(Rwlock, StaticInitialisers) {
  pthread_rwlock_t plain = PTHREAD_RWLOCK_INITIALIZER;
  pthread_rwlock_t writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  EXPECT_TRUE(is_initialised(state_of(&plain)));
  EXPECT_FALSE(prefers_writers(state_of(&plain)));
  EXPECT_TRUE(is_initialised(state_of(&writers)));
  EXPECT_TRUE(prefers_writers(state_of(&writers)));
}

TEST(Rwlock, DestroyedAndNeverInitialised) {
  RwlockObject rw;
  destroy(rw);
  EXPECT_TRUE(is_destroyed(rw));
  EXPECT_FALSE(is_initialised(rw));
  pthread_rwlock_t garbage;
  memset(&garbage, 0x5A, sizeof garbage);
  EXPECT_FALSE(is_initialised(state_of(&garbage)));
  EXPECT_FALSE(is_destroyed(state_of(&garbage)));
}

TEST(Rwlock, ReadersShare) {
  RwlockObject rw;
  EXPECT_EQ(lock_read(rw, kA), 0);
  EXPECT_TRUE(can_read(rw, kB));
  EXPECT_EQ(lock_read(rw, kB), 0);
  EXPECT_EQ(try_lock_read(rw, kA), 0);
  EXPECT_EQ(reader_count(rw), 3u);
  EXPECT_FALSE(can_write(rw, kC));
  EXPECT_FALSE(can_write(rw, kA));  // an upgrade is a deadlock
  EXPECT_EQ(try_lock_write(rw, kC), EBUSY);
  EXPECT_EQ(unlock(rw, kA), 0);
  EXPECT_EQ(unlock(rw, kB), 0);
  EXPECT_FALSE(can_write(rw, kC));
  EXPECT_EQ(unlock(rw, kA), 0);
  EXPECT_TRUE(can_write(rw, kC));
  EXPECT_FALSE(is_held(rw));
}

TEST(Rwlock, WriterExcludes) {
  RwlockObject rw;
  EXPECT_EQ(lock_write(rw, kA), 0);
  EXPECT_TRUE(is_held_for_writing_by(rw, kA));
  EXPECT_FALSE(can_read(rw, kB));
  EXPECT_FALSE(can_write(rw, kB));
  EXPECT_EQ(try_lock_read(rw, kB), EBUSY);
  EXPECT_EQ(try_lock_write(rw, kB), EBUSY);
  EXPECT_EQ(unlock(rw, kA), 0);
  EXPECT_TRUE(can_read(rw, kB));
  EXPECT_EQ(try_lock_write(rw, kB), 0);
}

TEST(Rwlock, WriterThatLocksAgain) {
  RwlockObject rw;
  lock_write(rw, kA);
  EXPECT_TRUE(can_read(rw, kA));
  EXPECT_EQ(lock_read(rw, kA), EDEADLK);
  EXPECT_TRUE(can_write(rw, kA));
  EXPECT_EQ(lock_write(rw, kA), EDEADLK);
  EXPECT_EQ(try_lock_read(rw, kA), EBUSY);
  EXPECT_EQ(try_lock_write(rw, kA), EBUSY);
  EXPECT_TRUE(is_held_for_writing_by(rw, kA));
}

TEST(Rwlock, TooManyReaders) {
  RwlockObject rw;
  rw->readers = kMaxReaders << 3;
  EXPECT_TRUE(can_read(rw, kA));
  EXPECT_EQ(lock_read(rw, kA), EAGAIN);
  EXPECT_EQ(try_lock_read(rw, kA), EAGAIN);
  EXPECT_EQ(reader_count(rw), kMaxReaders);
}

TEST(Rwlock, UnlockByWhoDoesNotHoldItIsMisuse) {
  RwlockObject rw;
  EXPECT_EQ(unlock(rw, kA), kMisuse);
  lock_write(rw, kA);
  EXPECT_EQ(unlock(rw, kB), kMisuse);
  unlock(rw, kA);
  lock_read(rw, kA);
  EXPECT_EQ(unlock(rw, kB), kMisuse);
  EXPECT_EQ(unlock(rw, kA), 0);
}

TEST(Rwlock, FalseReaderShowsWhenTheLastOneUnlocks) {
  RwlockObject rw;
  lock_read(rw, kA);
  lock_read(rw, kB);
  EXPECT_EQ(unlock(rw, kC), 0);
  EXPECT_EQ(unlock(rw, kA), kMisuse);
}

TEST(Rwlock, WaitingWritersHoldNobodyBackByDefault) {
  for (int kind : {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP}) {
    RwlockObject rw(kind);
    lock_read(rw, kA);
    add_waiting_writer(rw);
    EXPECT_TRUE(can_read(rw, kB));
    EXPECT_EQ(try_lock_read(rw, kB), 0);
    remove_waiting_writer(rw);
  }
}

TEST(Rwlock, WaitingWritersHoldReadersBackWherePreferred) {
  RwlockObject rw(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  lock_read(rw, kA);
  EXPECT_TRUE(can_read(rw, kB));
  add_waiting_writer(rw);
  EXPECT_FALSE(can_read(rw, kB));
  EXPECT_FALSE(can_read(rw, kA));  // not recursive
  EXPECT_EQ(try_lock_read(rw, kB), EBUSY);
  unlock(rw, kA);
  EXPECT_FALSE(can_read(rw, kB));
  EXPECT_TRUE(can_write(rw, kC));
  remove_waiting_writer(rw);
  EXPECT_EQ(lock_write(rw, kC), 0);
  EXPECT_EQ(unlock(rw, kC), 0);
  EXPECT_TRUE(can_read(rw, kB));
}

TEST(Rwlock, TakenByTheRealLibcBelongsToTheMainThread) {
  RwlockObject rw;
  pthread_rwlock_rdlock(rw.posix());
  pthread_rwlock_rdlock(rw.posix());
  EXPECT_EQ(reader_count(rw), 2u);
  EXPECT_EQ(lock_read(rw, kA), 0);
  EXPECT_EQ(unlock(rw, kMainThread), 0);
  EXPECT_EQ(unlock(rw, kA), 0);
  EXPECT_EQ(unlock(rw, kA), kMisuse);
  EXPECT_EQ(unlock(rw, kMainThread), 0);
  EXPECT_FALSE(is_held(rw));

  pthread_rwlock_wrlock(rw.posix());
  EXPECT_TRUE(is_held_for_writing_by(rw, kMainThread));
  EXPECT_EQ(unlock(rw, kA), kMisuse);
  EXPECT_EQ(unlock(rw, kMainThread), 0);
  EXPECT_FALSE(is_held(rw));
}

TEST(Rwlock, UsedByTheRealLibcBefore) {
  RwlockObject rw;
  pthread_rwlock_wrlock(rw.posix());
  pthread_rwlock_unlock(rw.posix());  // leaves glibc's phase bits behind
  EXPECT_FALSE(is_held(rw));
  EXPECT_EQ(lock_read(rw, kA), 0);
  EXPECT_EQ(unlock(rw, kA), 0);
  EXPECT_EQ(lock_write(rw, kA), 0);
}

}  // namespace
}  // namespace jostle::sync
