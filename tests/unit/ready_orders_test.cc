// SPDX-License-Identifier: Apache-2.0
// Constraints on what event loops are told of first.
#include "src/strategy/events/ready_orders.h"

#include <gtest/gtest.h>

#include <set>

namespace jostle {
namespace {

constexpr uint64_t kPipe = 11, kTimer = 22, kSocket = 33;
constexpr uint64_t kAll[] = {kPipe, kTimer, kSocket};

TEST(KnownReadyPairs, OrdersThatWereNeverSeenComeFirst) {
  KnownReadyPairs known;
  EXPECT_FALSE(known.any());
  known.note(kAll, 3, 0);  // the pipe before the timer and before the socket
  EXPECT_TRUE(known.any());
  Rng rng(1);
  std::set<uint64_t> firsts;
  for (int i = 0; i < 2; ++i) {
    const ReadyOrder order = known.draw(rng);
    EXPECT_EQ(order.then, kPipe);
    firsts.insert(order.first);
  }
  EXPECT_EQ(firsts, (std::set{kTimer, kSocket}));
  // All have been tried: any order will do, both ways.
  std::set<uint64_t> thens;
  for (int i = 0; i < 50; ++i) thens.insert(known.draw(rng).then);
  EXPECT_GE(thens.size(), 2u);
}

TEST(KnownReadyPairs, ManyDoNotOverflow) {
  KnownReadyPairs known;
  for (uint64_t n = 1; n < 5000; ++n) {
    const uint64_t names[] = {n, n + 1};
    known.note(names, 2, 0);
  }
  Rng rng(1);
  for (int i = 0; i < 5000; ++i) {
    const ReadyOrder order = known.draw(rng);
    EXPECT_TRUE(order.first + 1 == order.then || order.then + 1 == order.first);
  }
}

// A run with a single order, of the timer and the pipe.
ReadyOrder begin_with_one(ReadyOrderSearch& search, Rng& rng) {
  const uint64_t names[] = {kPipe, kTimer};
  search.begin(false, rng);
  search.note(names, 2, 0);
  do {
    search.begin(true, rng);
  } while (search.now().count != 1);
  return search.now().orders[0];
}

TEST(ReadyOrderSearch, HoldsBackUntilTheOtherWasFirst) {
  ReadyOrderSearch search;
  Rng rng(3);
  const ReadyOrder order = begin_with_one(search, rng);
  ASSERT_TRUE(search.active());
  const uint64_t both[] = {order.then, order.first};
  EXPECT_EQ(search.choose(both, 2, false, rng), 1u);
  EXPECT_EQ(search.choose(both, 1, true, rng), 1u) << "not yet";
  EXPECT_EQ(search.choose(both, 1, false, rng), 0u) << "there is nothing else";
  const uint64_t with_other[] = {order.then, kSocket};
  EXPECT_EQ(search.choose(with_other, 2, false, rng), 1u);
  search.note(both, 2, 1);
  bool is_sent = false;
  for (int i = 0; i < 20; ++i) is_sent |= search.choose(both, 1, true, rng) == 0;
  EXPECT_TRUE(is_sent) << "it is free now";
}

TEST(ReadyOrderSearch, GoesOnFromWhatLedSomewhere) {
  ReadyOrderSearch search;
  Rng rng(4);
  for (uint64_t n = 1; n < 40; ++n) {
    const uint64_t names[] = {n, n + 100};
    search.note(names, 2, 0);
  }
  begin_with_one(search, rng);
  const ReadyOrder kept = search.now().orders[0];
  search.after_run(true);
  int again = 0;
  for (int i = 0; i < 100; ++i) {
    search.begin(true, rng);
    for (uint32_t k = 0; k < search.now().count; ++k) again += search.now().orders[k] == kept;
    search.after_run(false);
  }
  EXPECT_GT(again, 25);
}

}  // namespace
}  // namespace jostle
