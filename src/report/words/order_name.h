// SPDX-License-Identifier: Apache-2.0
// Memory orders as programs call them.
#pragma once

#include <string_view>

#include "src/base/memory_order.h"

namespace jostle::report {

// "acquire"; what there is no name for counts as the strongest, as the hooks have it.
constexpr std::string_view order_name(int order) {
  switch (plain_order(order)) {
    case __ATOMIC_RELAXED:
      return "relaxed";
    case __ATOMIC_CONSUME:
      return "consume";
    case __ATOMIC_ACQUIRE:
      return "acquire";
    case __ATOMIC_RELEASE:
      return "release";
    case __ATOMIC_ACQ_REL:
      return "acq_rel";
    default:
      return "seq_cst";
  }
}

}  // namespace jostle::report
