// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/mutex.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace jostle::sync {
namespace {

constexpr Owner kA = owner_with_index(1);
constexpr Owner kB = owner_with_index(2);

struct Attributes {
  int type = PTHREAD_MUTEX_NORMAL;
  int robust = PTHREAD_MUTEX_STALLED;
  int protocol = PTHREAD_PRIO_NONE;
  int shared = PTHREAD_PROCESS_PRIVATE;
};

// Initialised by the real libc, as in the target.
class MutexObject {
 public:
  explicit MutexObject(const Attributes& wanted = {}) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, wanted.type);
    pthread_mutexattr_setrobust(&attributes, wanted.robust);
    pthread_mutexattr_setprotocol(&attributes, wanted.protocol);
    pthread_mutexattr_setpshared(&attributes, wanted.shared);
    EXPECT_EQ(pthread_mutex_init(&object_, &attributes), 0);
    pthread_mutexattr_destroy(&attributes);
  }
  operator Mutex&() { return state_of(&object_); }
  Mutex* operator->() { return &state_of(&object_); }
  pthread_mutex_t* posix() { return &object_; }

 private:
  pthread_mutex_t object_;
};

MutexObject of_type(int type) { return MutexObject({.type = type}); }
MutexObject robust(int type = PTHREAD_MUTEX_NORMAL) {
  return MutexObject({.type = type, .robust = PTHREAD_MUTEX_ROBUST});
}

// ---- what all types share

class AnyMutex : public testing::TestWithParam<Attributes> {};

TEST_P(AnyMutex, IsFreeAfterInitialisation) {
  MutexObject m(GetParam());
  EXPECT_TRUE(is_initialised(m));
  EXPECT_FALSE(is_destroyed(m));
  EXPECT_FALSE(is_held(m));
  EXPECT_EQ(depth(m), 0u);
  EXPECT_TRUE(can_lock(m, kA));
}

TEST_P(AnyMutex, LockAndUnlock) {
  MutexObject m(GetParam());
  EXPECT_EQ(lock(m, kA), 0);
  EXPECT_TRUE(is_held_by(m, kA));
  EXPECT_FALSE(is_held_by(m, kB));
  EXPECT_EQ(index_of(holder(m)), 1u);
  EXPECT_EQ(depth(m), 1u);
  EXPECT_FALSE(can_lock(m, kB));
  EXPECT_EQ(unlock(m, kA), 0);
  EXPECT_FALSE(is_held(m));
  EXPECT_TRUE(can_lock(m, kB));
  EXPECT_EQ(try_lock(m, kB), 0);
  EXPECT_EQ(unlock(m, kB), 0);
}

TEST_P(AnyMutex, TryLockOfAnothersIsBusy) {
  MutexObject m(GetParam());
  lock(m, kA);
  EXPECT_EQ(try_lock(m, kB), EBUSY);
  EXPECT_TRUE(is_held_by(m, kA));
}

TEST_P(AnyMutex, LooksToTheRealLibcAsWeLeftIt) {
  MutexObject m(GetParam());
  lock(m, kA);
  EXPECT_EQ(pthread_mutex_trylock(m.posix()), EBUSY);
  unlock(m, kA);
  EXPECT_EQ(pthread_mutex_trylock(m.posix()), 0);
  EXPECT_EQ(pthread_mutex_unlock(m.posix()), 0);
}

TEST_P(AnyMutex, TakenByTheRealLibcBelongsToTheMainThread) {
  MutexObject m(GetParam());
  ASSERT_EQ(pthread_mutex_lock(m.posix()), 0);
  EXPECT_TRUE(is_held_by(m, kMainThread));
  EXPECT_EQ(depth(m), 1u);
  EXPECT_FALSE(can_lock(m, kA));
  if (GetParam().robust == PTHREAD_MUTEX_ROBUST) {
    pthread_mutex_unlock(m.posix());  // it is in the list of the real thread
    return;
  }
  EXPECT_EQ(unlock(m, kMainThread), 0);
  EXPECT_FALSE(is_held(m));
  EXPECT_EQ(lock(m, kA), 0);
}

TEST_P(AnyMutex, IsNoneAfterItsEnd) {
  MutexObject m(GetParam());
  destroy(m);
  EXPECT_TRUE(is_destroyed(m));
  EXPECT_FALSE(is_initialised(m));
}

std::vector<Attributes> all_attributes() {
  std::vector<Attributes> all;
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK,
                   PTHREAD_MUTEX_ADAPTIVE_NP}) {
    for (int robust : {PTHREAD_MUTEX_STALLED, PTHREAD_MUTEX_ROBUST}) {
      for (int protocol : {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT}) {
        for (int shared : {PTHREAD_PROCESS_PRIVATE, PTHREAD_PROCESS_SHARED}) {
          all.push_back({type, robust, protocol, shared});
        }
      }
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, AnyMutex, testing::ValuesIn(all_attributes()));

// ---- types

TEST(Mutex, StaticInitialisers) {
  pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  for (pthread_mutex_t* m : {&normal, &recursive, &checking, &adaptive}) {
    EXPECT_TRUE(is_initialised(state_of(m)));
    EXPECT_EQ(lock(state_of(m), kA), 0);
  }
  EXPECT_FALSE(can_lock(state_of(&normal), kA));
  EXPECT_FALSE(can_lock(state_of(&adaptive), kA));
  EXPECT_EQ(lock(state_of(&recursive), kA), 0);
  EXPECT_EQ(lock(state_of(&checking), kA), EDEADLK);
}

TEST(Mutex, MemoryThatNeverWasOne) {
  pthread_mutex_t m;
  memset(&m, 0x5A, sizeof m);
  EXPECT_FALSE(is_initialised(state_of(&m)));
  EXPECT_FALSE(is_destroyed(state_of(&m)));
}

TEST(Mutex, NormalNeverLocksTwice) {
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP}) {
    MutexObject m = of_type(type);
    lock(m, kA);
    EXPECT_FALSE(can_lock(m, kA));
    EXPECT_EQ(try_lock(m, kA), EBUSY);
  }
}

TEST(Mutex, NormalUnlockByOthersIsMisuse) {
  for (int type : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP}) {
    MutexObject m = of_type(type);
    EXPECT_FALSE(checks_owner(m));
    EXPECT_EQ(unlock(m, kA), kMisuse);
    lock(m, kA);
    EXPECT_EQ(unlock(m, kB), kMisuse);
    EXPECT_TRUE(is_held_by(m, kA));
  }
}

TEST(Mutex, ErrorCheckSaysDeadlock) {
  MutexObject m = of_type(PTHREAD_MUTEX_ERRORCHECK);
  lock(m, kA);
  EXPECT_TRUE(can_lock(m, kA));
  EXPECT_EQ(lock(m, kA), EDEADLK);
  EXPECT_EQ(try_lock(m, kA), EBUSY);
  EXPECT_EQ(depth(m), 1u);
  EXPECT_EQ(unlock(m, kA), 0);
  EXPECT_FALSE(is_held(m));
}

TEST(Mutex, ErrorCheckWithAttributesSaysDeadlockToTryLock) {
  for (const Attributes& attributes :
       {Attributes{PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST},
        Attributes{.type = PTHREAD_MUTEX_ERRORCHECK, .protocol = PTHREAD_PRIO_INHERIT},
        Attributes{.type = PTHREAD_MUTEX_ERRORCHECK, .protocol = PTHREAD_PRIO_PROTECT}}) {
    MutexObject m(attributes);
    lock(m, kA);
    EXPECT_EQ(try_lock(m, kA), EDEADLK);
  }
}

TEST(Mutex, UnlockByOthersIsRefusedByTheCheckingTypes) {
  for (const Attributes& attributes :
       {Attributes{.type = PTHREAD_MUTEX_ERRORCHECK}, Attributes{.type = PTHREAD_MUTEX_RECURSIVE},
        Attributes{.robust = PTHREAD_MUTEX_ROBUST}, Attributes{.protocol = PTHREAD_PRIO_INHERIT}}) {
    MutexObject m(attributes);
    EXPECT_TRUE(checks_owner(m));
    EXPECT_EQ(unlock(m, kA), EPERM);
    lock(m, kA);
    EXPECT_EQ(unlock(m, kB), EPERM);
    EXPECT_TRUE(is_held_by(m, kA));
  }
}

TEST(Mutex, RecursiveCounts) {
  MutexObject m = of_type(PTHREAD_MUTEX_RECURSIVE);
  EXPECT_EQ(lock(m, kA), 0);
  EXPECT_TRUE(can_lock(m, kA));
  EXPECT_EQ(lock(m, kA), 0);
  EXPECT_EQ(try_lock(m, kA), 0);
  EXPECT_EQ(depth(m), 3u);
  EXPECT_EQ(unlock(m, kA), 0);
  EXPECT_EQ(unlock(m, kA), 0);
  EXPECT_FALSE(can_lock(m, kB));
  EXPECT_EQ(unlock(m, kA), 0);
  EXPECT_TRUE(can_lock(m, kB));
  EXPECT_EQ(unlock(m, kA), EPERM);
}

TEST(Mutex, RecursiveHasAnEnd) {
  MutexObject m = of_type(PTHREAD_MUTEX_RECURSIVE);
  lock(m, kA);
  m->count = UINT_MAX;
  EXPECT_TRUE(can_lock(m, kA));
  EXPECT_EQ(lock(m, kA), EAGAIN);
  EXPECT_EQ(try_lock(m, kA), EAGAIN);
  EXPECT_EQ(depth(m), UINT_MAX);
}

// ---- robust

TEST(RobustMutex, OwnerDeadThenConsistent) {
  MutexObject m = robust();
  EXPECT_TRUE(is_robust(m));
  lock(m, kA);
  owner_died(m);
  EXPECT_FALSE(is_held(m));
  EXPECT_TRUE(can_lock(m, kB));
  EXPECT_EQ(lock(m, kB), EOWNERDEAD);
  EXPECT_TRUE(is_acquired(EOWNERDEAD));
  EXPECT_TRUE(is_held_by(m, kB));
  EXPECT_EQ(try_lock(m, kA), EBUSY);
  EXPECT_EQ(make_consistent(m, kA), kMisuse);
  EXPECT_EQ(make_consistent(m, kB), 0);
  EXPECT_EQ(make_consistent(m, kB), EINVAL);
  EXPECT_EQ(unlock(m, kB), 0);
  EXPECT_EQ(lock(m, kA), 0);
}

TEST(RobustMutex, OwnerDeadIsToldByTryLock) {
  MutexObject m = robust();
  lock(m, kA);
  owner_died(m);
  EXPECT_EQ(try_lock(m, kB), EOWNERDEAD);
}

TEST(RobustMutex, NotRecoverableWithoutConsistent) {
  MutexObject m = robust();
  lock(m, kA);
  owner_died(m);
  lock(m, kB);
  EXPECT_EQ(unlock(m, kB), 0);
  EXPECT_TRUE(can_lock(m, kA));
  EXPECT_EQ(lock(m, kA), ENOTRECOVERABLE);
  EXPECT_EQ(try_lock(m, kA), ENOTRECOVERABLE);
  EXPECT_FALSE(is_acquired(ENOTRECOVERABLE));
  EXPECT_EQ(unlock(m, kA), EPERM);
  EXPECT_EQ(make_consistent(m, kA), EINVAL);
}

TEST(RobustMutex, SecondOwnerDiesToo) {
  MutexObject m = robust();
  lock(m, kA);
  owner_died(m);
  EXPECT_EQ(lock(m, kB), EOWNERDEAD);
  owner_died(m);
  EXPECT_EQ(lock(m, kA), EOWNERDEAD);
}

TEST(RobustMutex, RecursiveStartsAgainAfterDeath) {
  MutexObject m = robust(PTHREAD_MUTEX_RECURSIVE);
  lock(m, kA);
  lock(m, kA);
  owner_died(m);
  EXPECT_EQ(lock(m, kB), EOWNERDEAD);
  EXPECT_EQ(depth(m), 1u);
  EXPECT_EQ(lock(m, kB), 0);
  EXPECT_EQ(unlock(m, kB), ENOTRECOVERABLE);
  EXPECT_TRUE(is_held_by(m, kB));
  EXPECT_EQ(unlock(m, kB), 0);
  EXPECT_EQ(lock(m, kA), ENOTRECOVERABLE);
}

TEST(RobustMutex, ConsistentNeedsARobustOne) {
  MutexObject m;
  lock(m, kA);
  EXPECT_EQ(make_consistent(m, kA), EINVAL);
}

// ---- priority ceiling

TEST(MutexCeiling, OnlyWithTheProtocol) {
  MutexObject m;
  EXPECT_EQ(check_ceiling(m, 5), EINVAL);
}

TEST(MutexCeiling, IsKeptAcrossLocking) {
  MutexObject m({.protocol = PTHREAD_PRIO_PROTECT});
  EXPECT_EQ(check_ceiling(m, 0), EINVAL);
  EXPECT_EQ(check_ceiling(m, 100), EINVAL);
  EXPECT_EQ(check_ceiling(m, 7), 0);
  EXPECT_EQ(exchange_ceiling(m, 7), 1);
  int ceiling = 0;
  EXPECT_EQ(pthread_mutex_getprioceiling(m.posix(), &ceiling), 0);
  EXPECT_EQ(ceiling, 7);
  lock(m, kA);
  EXPECT_FALSE(can_lock(m, kB));
  EXPECT_EQ(exchange_ceiling(m, 9), 7);
  EXPECT_TRUE(is_held_by(m, kA));
  unlock(m, kA);
  EXPECT_TRUE(can_lock(m, kB));
  EXPECT_EQ(pthread_mutex_getprioceiling(m.posix(), &ceiling), 0);
  EXPECT_EQ(ceiling, 9);
}

TEST(Mutex, SharedIsKnown) {
  EXPECT_FALSE(is_shared(MutexObject()));
  EXPECT_TRUE(is_shared(MutexObject({.shared = PTHREAD_PROCESS_SHARED})));
}

}  // namespace
}  // namespace jostle::sync
