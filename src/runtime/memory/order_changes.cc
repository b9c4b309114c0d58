// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/order_changes.h"

#include "src/base/memory_order.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

using channel::kNoOrder;
using channel::OrderChange;
using channel::OrderSite;

void OrderChanges::begin_run(channel::Channel& channel) {
  const uint32_t count = channel.config.order_change_count;
  channel_ = &channel;
  count_ = count < channel::kMaxOrderChanges ? count : channel::kMaxOrderChanges;
  watches_ = channel.config.watch_orders != 0;
  // A replay that tries them has the schedule of a run without.
  const bool is_search = channel.config.mode == channel::Mode::fuzz;
  fences_are_steps_ = count_ != 0 && (is_search || watches_);
}

uint64_t OrderChanges::location_of(uintptr_t pc) const {
  return code_location(g_scheduler.points().own_code(pc, g_current->calls));
}

OrderChanges::Orders OrderChanges::at(OpKind kind, uintptr_t pc, int success, int failure) {
  Orders orders = {plain_order(success), plain_order(failure), 0};
  const uint64_t location = location_of(pc);
  if (watches_) note_site(kind, pc, location, orders.success, orders.failure);
  for (uint32_t i = 0; i < count_; ++i) {
    const OrderChange& change = channel_->config.order_changes[i];
    if (change.location != location) continue;
    if (change.rule == OrderChange::Rule::at_least) {
      orders.success = stronger_of(orders.success, change.order);
      if (failure != kNoOrder) orders.failure = stronger_of(orders.failure, change.order);
      orders.fence_before = static_cast<int>(change.fence);
      break;
    }
    if (orders.success != change.was || orders.failure != change.failure_was) continue;
    orders.success = change.order;
    orders.failure = change.failure;
    break;
  }
  return orders;
}

void OrderChanges::note_site(OpKind kind, uintptr_t pc, uint64_t location, int success,
                             int failure) {
  channel::OrderWatch& watch = channel_->orders;
  for (uint32_t i = 0; i < watch.site_count; ++i) {
    const OrderSite& known = watch.sites[i];
    if (known.location == location && known.code[0] == pc && known.kind == kind &&
        known.order == success && known.failure == failure) {
      return;
    }
  }
  if (watch.site_count == channel::kMaxOrderSites) {
    watch.overflow = 1;
    return;
  }
  OrderSite& site = watch.sites[watch.site_count++];
  site = {location, kind, static_cast<uint8_t>(success), static_cast<uint8_t>(failure), 1, {pc}};
  const uintptr_t own = g_scheduler.points().own_code(pc, g_current->calls);
  for (uint32_t i = 0; site.code[site.depth - 1] != own; ++i) {
    if (site.depth == OrderSite::kMostCallers || i >= g_current->calls.depth()) {
      site.depth = OrderSite::kMostCallers + 1;
      return;
    }
    site.code[site.depth++] = g_current->calls.caller(i);
  }
}

void OrderChanges::note_late(uint64_t load, uint64_t store) {
  channel::OrderWatch& watch = channel_->orders;
  for (uint32_t i = 0; i < watch.late_count; ++i) {
    if (watch.late[i].load == load && watch.late[i].store == store) return;
  }
  if (watch.late_count == channel::kMaxLateLoads) {
    watch.overflow = 1;
    return;
  }
  watch.late[watch.late_count++] = {load, store};
}

}  // namespace jostle::rt
