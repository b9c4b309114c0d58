// SPDX-License-Identifier: Apache-2.0
#include "src/cli/orders/weakest_orders.h"

#include <algorithm>
#include <numeric>

#include "src/base/memory_order.h"

namespace jostle::cli {
namespace {

// What an operation costs on real processors, roughly: a fence or a store that is sequentially
// consistent needs a barrier, a load hardly ever.
int cost(const Ordered& operation) {
  const int kind = operation.kind == OpKind::fence          ? 3
                   : operation.kind == OpKind::atomic_store ? 2
                   : operation.kind == OpKind::atomic_rmw   ? 1
                                                            : 0;
  return (is_sequential(operation.now.success) ? 4 : 0) + kind;
}

// A compare-exchange whose failure is stronger than its success: C++17 has it, compilers warn.
bool is_allowed(Orders orders) {
  return orders.failure == channel::kNoOrder ||
         stronger_of(orders.success, orders.failure) == stronger_of(orders.success, orders.success);
}

}  // namespace

std::vector<uint8_t> weaker_orders(OpKind kind, uint8_t now) {
  std::vector<uint8_t> orders;
  for (const uint8_t order :
       {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL}) {
    const bool loads = kind == OpKind::atomic_load, stores = kind == OpKind::atomic_store;
    if ((loads && releases(order)) || (stores && acquires(order))) continue;
    if (stronger_of(order, now) == stronger_of(now, now) && order != stronger_of(now, now)) {
      orders.push_back(order);
    }
  }
  return orders;
}

std::vector<Weakest> find_weakest(const std::vector<Ordered>& operations, const Judge& judge,
                                  bool& finished) {
  std::vector<Weakest> result(operations.size());
  std::vector<Orders> all(operations.size());
  std::vector<size_t> sequence(operations.size());
  std::iota(sequence.begin(), sequence.end(), size_t{0});
  std::ranges::stable_sort(sequence, std::ranges::greater{},
                           [&](size_t i) { return cost(operations[i]); });
  for (size_t i = 0; i < all.size(); ++i) result[i].orders = all[i] = operations[i].now;
  finished = true;
  const auto weaken = [&](size_t i, uint8_t Orders::*part, OpKind kind) {
    for (const uint8_t order : weaker_orders(kind, all[i].*part)) {
      const Orders before = all[i];
      all[i].*part = order;
      if (!is_allowed(all[i])) {
        all[i] = before;
        continue;
      }
      Judgement judgement = judge(all);
      if (judgement.is_over) finished = false;
      if (judgement.is_right) result[i].orders = all[i];
      if (judgement.is_right || judgement.is_over) {
        all[i] = result[i].orders;
        return;
      }
      result[i].refused.push_back({all[i], std::move(judgement.why)});
      all[i] = before;
    }
  };
  for (const size_t i : sequence) {
    // A compare-exchange that fails is a load.
    if (finished && operations[i].now.failure != channel::kNoOrder) {
      weaken(i, &Orders::failure, OpKind::atomic_load);
    }
    if (finished) weaken(i, &Orders::success, operations[i].kind);
  }
  return result;
}

}  // namespace jostle::cli
