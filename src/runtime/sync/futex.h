// SPDX-License-Identifier: Apache-2.0
// The arithmetic of FUTEX_WAKE_OP: one argument encodes an operation on the second word and a
// comparison of the value it had.
#pragma once

#include <cstdint>

namespace jostle::sync {

struct FutexOperation {
  bool known = false;     // false: the kernel answers ENOSYS
  int32_t result = 0;     // what the word becomes
  bool wake_too = false;  // the comparison held: wake waiters of the second word as well
};

// `encoded` as built by FUTEX_OP; `old` is the value of the second word.
FutexOperation decode_futex_operation(uint32_t encoded, int32_t old);

}  // namespace jostle::sync
