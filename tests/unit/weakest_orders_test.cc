// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/weakest_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/memory_order.h"

namespace jostle::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WeakerOrders, AreThoseThatTheOperationCanHave) {
  EXPECT_THAT(weaker_orders(OpKind::atomic_load, __ATOMIC_SEQ_CST),
              ElementsAre(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE));
  EXPECT_THAT(weaker_orders(OpKind::atomic_store, __ATOMIC_SEQ_CST),
              ElementsAre(__ATOMIC_RELAXED, __ATOMIC_RELEASE));
  EXPECT_THAT(weaker_orders(OpKind::atomic_rmw, __ATOMIC_SEQ_CST),
              ElementsAre(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL));
  EXPECT_THAT(weaker_orders(OpKind::fence, __ATOMIC_ACQ_REL),
              ElementsAre(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE));
  EXPECT_THAT(weaker_orders(OpKind::atomic_load, __ATOMIC_CONSUME), ElementsAre(__ATOMIC_RELAXED));
  EXPECT_THAT(weaker_orders(OpKind::atomic_rmw, __ATOMIC_RELAXED), IsEmpty());
}

// Right is what is at least as strong as this at every operation.
Judge needs(std::vector<Orders> least) {
  return [least](const std::vector<Orders>& all) {
    Judgement judgement{.is_right = true};
    for (size_t i = 0; i < all.size(); ++i) {
      const bool enough = stronger_of(all[i].success, least[i].success) == all[i].success &&
                          (all[i].failure == channel::kNoOrder ||
                           stronger_of(all[i].failure, least[i].failure) == all[i].failure);
      if (!enough) judgement = {.is_right = false, .why = "fails"};
    }
    return judgement;
  };
}

TEST(WeakestOrders, AreThoseThatAreNeeded) {
  const std::vector<Ordered> operations = {
      {OpKind::atomic_store, {__ATOMIC_SEQ_CST}},
      {OpKind::atomic_load, {__ATOMIC_SEQ_CST}},
      {OpKind::atomic_rmw, {__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST}},
      {OpKind::fence, {__ATOMIC_SEQ_CST}},
  };
  bool finished = false;
  const std::vector<Weakest> found = find_weakest(operations,
                                                  needs({{__ATOMIC_RELEASE},
                                                         {__ATOMIC_SEQ_CST},
                                                         {__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE},
                                                         {__ATOMIC_RELAXED}}),
                                                  finished);
  EXPECT_TRUE(finished);
  EXPECT_EQ(found[0].orders, (Orders{__ATOMIC_RELEASE}));
  EXPECT_EQ(found[1].orders, (Orders{__ATOMIC_SEQ_CST}));
  EXPECT_EQ(found[1].refused.size(), 2u);
  EXPECT_EQ(found[2].orders, (Orders{__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE}));
  EXPECT_EQ(found[3].orders, (Orders{__ATOMIC_RELAXED}));
  EXPECT_THAT(found[3].refused, IsEmpty());
}

// A compare-exchange that succeeds is at least as strong as one that fails.
TEST(WeakestOrders, OfSuccessAreNoWeakerThanOfFailure) {
  const std::vector<Ordered> operations = {
      {OpKind::atomic_rmw, {__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST}}};
  bool finished = false;
  const std::vector<Weakest> found =
      find_weakest(operations, needs({{__ATOMIC_RELAXED, __ATOMIC_ACQUIRE}}), finished);
  EXPECT_EQ(found[0].orders, (Orders{__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE}));
}

// One of two is enough: what costs more is weakened, the other one stays.
TEST(WeakestOrders, AreALocalMinimum) {
  const std::vector<Ordered> operations = {{OpKind::atomic_load, {__ATOMIC_SEQ_CST}},
                                           {OpKind::fence, {__ATOMIC_SEQ_CST}}};
  const Judge one_is_enough = [](const std::vector<Orders>& all) {
    return Judgement{.is_right = is_sequential(all[0].success) || is_sequential(all[1].success)};
  };
  bool finished = false;
  const std::vector<Weakest> found = find_weakest(operations, one_is_enough, finished);
  EXPECT_EQ(found[0].orders, (Orders{__ATOMIC_SEQ_CST}));
  EXPECT_EQ(found[1].orders, (Orders{__ATOMIC_RELAXED}));
}

// Interrupted: only what was shown to be right is told.
TEST(WeakestOrders, AreThoseThatWereShownWhenItEndsEarly) {
  const std::vector<Ordered> operations = {{OpKind::atomic_store, {__ATOMIC_SEQ_CST}},
                                           {OpKind::atomic_store, {__ATOMIC_SEQ_CST}}};
  int questions = 0;
  const Judge first_only = [&](const std::vector<Orders>&) {
    return ++questions == 1 ? Judgement{.is_right = true} : Judgement{.is_over = true};
  };
  bool finished = true;
  const std::vector<Weakest> found = find_weakest(operations, first_only, finished);
  EXPECT_FALSE(finished);
  EXPECT_EQ(questions, 2);
  EXPECT_EQ(found[0].orders, (Orders{__ATOMIC_RELAXED}));
  EXPECT_EQ(found[1].orders, (Orders{__ATOMIC_SEQ_CST}));
}

}  // namespace
}  // namespace jostle::cli
