// SPDX-License-Identifier: Apache-2.0
// Small programs with every primitive. Their numbers of executions are those of all interleavings,
// which are tried as well.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/dpor_oracle.h"

namespace jostle::dpor_machine {
namespace {

// Objects.
constexpr int kData = 0, kFlag = 1, kMutex = 10, kLock = 20, kSemaphore = 30, kCondition = 40,
              kBarrier = 50;

void expect_all(const Program& program, uint64_t complete, uint64_t deadlocks = 0) {
  const Oracle oracle = all_interleavings(program);
  EXPECT_TRUE(oracle.dependence_is_sound);
  const Counts counts = reduced(program, true);
  EXPECT_EQ(counts.trouble, dpor::Trouble::none);
  EXPECT_EQ(counts.sleep_blocked, 0u);
  EXPECT_EQ(counts.redundant, 0u);
  EXPECT_EQ(counts.traces, oracle.traces);
  EXPECT_EQ(counts.deadlocks, oracle.deadlocks);
  EXPECT_EQ(counts.complete, complete);
  EXPECT_EQ(counts.deadlocks, deadlocks);
}

Task increment_between(Op before, Op after) {
  co_await Awaitable{before};
  const int64_t r = co_await load(kData);
  co_await store(kData, r + 1);
  co_await Awaitable{after};
}
Task read_between(Op before, Op after) {
  co_await Awaitable{before};
  co_await load(kData);
  co_await Awaitable{after};
}
const auto kWriter = [] { return increment_between(lock(kLock).op, unlock(kLock).op); };
const auto kReader = [] {
  return read_between(on(Act::share, kLock).op, on(Act::unshare, kLock).op);
};
const auto kPost = []() -> Task { co_await on(Act::post, kSemaphore); };
const auto kTake = []() -> Task { co_await on(Act::take, kSemaphore); };

TEST(DporPrimitives, ReadWriteLock) {
  expect_all({{kReader, kReader}}, 1);
  expect_all({{kReader, kWriter}}, 2);
  expect_all({{kReader, kReader, kWriter}}, 4);
  expect_all({{kReader, kWriter, kWriter}}, 6);
  const auto trying_writer = []() -> Task {
    if (co_await try_lock(kLock)) co_await unlock(kLock);
  };
  expect_all({{kReader, trying_writer}}, 3);
  const auto trying_reader = []() -> Task {
    if (co_await on(Act::try_share, kLock)) co_await on(Act::unshare, kLock);
  };
  expect_all({{kReader, kWriter, trying_reader}}, 6);
}

TEST(DporPrimitives, SemaphoreAsAMutex) {
  const auto thread = [] {
    return increment_between(on(Act::take, kSemaphore).op, on(Act::post, kSemaphore).op);
  };
  expect_all({{thread, thread, thread}, {{kSemaphore, 1}}}, 6);
}

TEST(DporPrimitives, SemaphoreAsACount) {
  expect_all({{kPost, kTake}}, 1);
  expect_all({{kPost, kPost, kTake}}, 3);
  expect_all({{kPost, kTake, kTake}}, 0, 2);
  expect_all({{kPost, kPost, kTake, kTake}}, 6);
  const auto trying = []() -> Task { co_await on(Act::try_take, kSemaphore); };
  expect_all({{kPost, trying, trying}}, 5);
}

const auto kWaitForFlag = []() -> Task {
  co_await lock(kMutex);
  while (co_await load(kFlag) == 0) co_await wait(kCondition, kMutex);
  co_await unlock(kMutex);
};
Task set_flag(Op wake) {
  co_await lock(kMutex);
  co_await store(kFlag, 1);
  co_await Awaitable{wake};
  co_await unlock(kMutex);
}

TEST(DporPrimitives, ConditionVariable) {
  const auto signals = [] { return set_flag(signal(kCondition).op); };
  const auto broadcasts = [] { return set_flag(broadcast(kCondition).op); };
  expect_all({{kWaitForFlag, signals}}, 2);
  expect_all({{kWaitForFlag, kWaitForFlag, broadcasts}}, 10);
  // One signal for two waiters, either of which may get it.
  expect_all({{kWaitForFlag, kWaitForFlag, signals}}, 6, 4);
}

TEST(DporPrimitives, LostWakeUp) {
  const auto waits_without_looking = []() -> Task {
    co_await lock(kMutex);
    co_await wait(kCondition, kMutex);
    co_await unlock(kMutex);
  };
  const auto signals = []() -> Task { co_await signal(kCondition); };
  expect_all({{waits_without_looking, signals}}, 1, 1);
  expect_all({{waits_without_looking, signals, signals}}, 4, 1);
}

TEST(DporPrimitives, WaitWithATimeOut) {
  const auto waits = []() -> Task {
    co_await lock(kMutex);
    co_await timed_wait(kCondition, kMutex);
    co_await unlock(kMutex);
  };
  const auto signals = []() -> Task { co_await signal(kCondition); };
  expect_all({{waits}}, 1);
  expect_all({{waits, signals}}, 3);
  expect_all({{waits, waits, signals}}, 34);
}

TEST(DporPrimitives, Barrier) {
  const auto thread = [](int mine, int others, int n) {
    return [=]() -> Task {
      co_await store(mine, 1);
      co_await arrive(kBarrier, n);
      co_await load(others);
    };
  };
  expect_all({{thread(0, 1, 2), thread(1, 0, 2)}}, 2);
  expect_all({{thread(0, 1, 3), thread(1, 2, 3), thread(2, 0, 3)}}, 6);
  expect_all({{thread(0, 1, 2), thread(1, 2, 2), thread(2, 0, 2)}}, 0, 12);
}

// The first makes the call, the others await its end.
TEST(DporPrimitives, Once) {
  const auto calls = []() -> Task {
    if (co_await cas(kFlag, 0, 1)) {
      co_await store(kData, 1);
      co_await store(kFlag, 2);
    } else {
      co_await await_equal(kFlag, 2);
    }
    co_await load(kData);
  };
  expect_all({{calls, calls}}, 4);
  expect_all({{calls, calls, calls}}, 12);
}

TEST(DporPrimitives, Latch) {
  const auto counts_down = []() -> Task { co_await add(kFlag, -1); };
  const auto waits = []() -> Task { co_await await_equal(kFlag, 0); };
  expect_all({{counts_down, counts_down, waits}, {{kFlag, 2}}}, 2);
  expect_all({{counts_down, counts_down, waits, waits}, {{kFlag, 2}}}, 2);
  expect_all({{counts_down, counts_down, counts_down, waits}, {{kFlag, 3}}}, 6);
}

TEST(DporPrimitives, CreationAndJoin) {
  const auto child = []() -> Task { co_await add(kData); };
  const auto joins = []() -> Task {
    co_await create(1);
    co_await create(2);
    co_await add(kData);
    co_await join(1);
    co_await join(2);
    co_await load(kData);
  };
  expect_all({{joins, child, child}, {}, {1, 2}}, 6);
  const auto before_and_after = []() -> Task {
    co_await store(kData, 1);
    co_await create(1);
    co_await join(1);
    co_await store(kData, 2);
  };
  expect_all({{before_and_after, child}, {}, {1}}, 1);
}

TEST(DporPrimitives, Choices) {
  const auto chooses = []() -> Task { co_await store(kData, co_await choose(3)); };
  expect_all({{chooses}}, 3);
  expect_all({{chooses, chooses}}, 18);
}

}  // namespace
}  // namespace jostle::dpor_machine
