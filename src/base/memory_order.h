// SPDX-License-Identifier: Apache-2.0
// Memory orders as compilers hand them over: __ATOMIC_…, in the lowest byte; the rest are hints to
// the processor.
#pragma once

namespace jostle {

constexpr int plain_order(int order) { return order & 0xFF; }

constexpr bool is_sequential(int order) { return plain_order(order) >= __ATOMIC_SEQ_CST; }
constexpr bool acquires(int order) {
  const int plain = plain_order(order);
  return plain == __ATOMIC_CONSUME || plain == __ATOMIC_ACQUIRE || plain >= __ATOMIC_ACQ_REL;
}
constexpr bool releases(int order) { return plain_order(order) >= __ATOMIC_RELEASE; }
static_assert(__ATOMIC_RELEASE < __ATOMIC_ACQ_REL && __ATOMIC_ACQ_REL < __ATOMIC_SEQ_CST);

// At least as strong as both. Of loads and stores, which have no acq_rel, the hooks take what
// applies.
constexpr int stronger_of(int a, int b) {
  if (is_sequential(a) || is_sequential(b)) return __ATOMIC_SEQ_CST;
  const bool acquire = acquires(a) || acquires(b), release = releases(a) || releases(b);
  return acquire && release ? __ATOMIC_ACQ_REL
         : acquire          ? __ATOMIC_ACQUIRE
         : release          ? __ATOMIC_RELEASE
                            : __ATOMIC_RELAXED;
}

}  // namespace jostle
