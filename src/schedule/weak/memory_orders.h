// SPDX-License-Identifier: Apache-2.0
// Memory orders of a program's atomic operations: which there are, and "what if one were another?".
// For runs with weak memory.
#pragma once

#include <cstdint>

#include "src/schedule/operation.h"

namespace jostle::channel {

// An operation that has no order of this kind: only a compare-exchange has one for when it fails.
inline constexpr uint8_t kNoOrder = 255;

// An operation is treated as if its order, __ATOMIC_…, were another.
struct OrderChange {
  enum class Rule : uint8_t {
    at_least,  // it is `order`, or as strong as both if it has another
    exactly,   // operations of the order `was` (and `failure_was`) have `order` (and `failure`)
  };
  uint64_t location;  // CodeLocation of an atomic operation or a fence
  int32_t order;
  uint32_t fence;  // the order of a fence that comes before it; 0: none does
  Rule rule;
  uint8_t was, failure, failure_was;
};
inline constexpr uint32_t kMaxOrderChanges = 128;

// An atomic operation, or a fence, that was executed while there were several threads.
struct OrderSite {
  static constexpr uint32_t kMostCallers = 8;

  uint64_t location;  // in the program's own code
  OpKind kind;
  uint8_t order, failure;
  uint8_t depth;                 // used of `code`; more than there is room for: not known
  uintptr_t code[kMostCallers];  // from the operation to `location`, each called by the next
};
inline constexpr uint32_t kMaxOrderSites = 512;

// A load that some later store could have been read by, if loads were executed late (load
// buffering): nothing but relaxed operations has led from it to the store.
struct LateLoad {
  uint64_t load, store;  // code locations
};
inline constexpr uint32_t kMaxLateLoads = 256;

// What Config::watch_orders asks for, of all runs of a campaign.
struct OrderWatch {
  uint32_t site_count, late_count;
  uint32_t overflow;  // 1: there were more
  OrderSite sites[kMaxOrderSites];
  LateLoad late[kMaxLateLoads];
};

}  // namespace jostle::channel
