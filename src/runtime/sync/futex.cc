// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/futex.h"

#include <linux/futex.h>

namespace jostle::sync {
namespace {

int32_t sign_extend_12(uint32_t bits) { return static_cast<int32_t>(bits << 20) >> 20; }

bool compute(uint32_t operation, int32_t old, int32_t argument, int32_t& result) {
  const auto a = static_cast<uint32_t>(old), b = static_cast<uint32_t>(argument);
  switch (operation) {
    case FUTEX_OP_SET:
      result = argument;
      return true;
    case FUTEX_OP_ADD:
      result = static_cast<int32_t>(a + b);
      return true;
    case FUTEX_OP_OR:
      result = static_cast<int32_t>(a | b);
      return true;
    case FUTEX_OP_ANDN:
      result = static_cast<int32_t>(a & ~b);
      return true;
    case FUTEX_OP_XOR:
      result = static_cast<int32_t>(a ^ b);
      return true;
    default:
      return false;
  }
}

bool compare(uint32_t comparison, int32_t old, int32_t with, bool& result) {
  switch (comparison) {
    case FUTEX_OP_CMP_EQ:
      result = old == with;
      return true;
    case FUTEX_OP_CMP_NE:
      result = old != with;
      return true;
    case FUTEX_OP_CMP_LT:
      result = old < with;
      return true;
    case FUTEX_OP_CMP_GE:
      result = old >= with;
      return true;
    case FUTEX_OP_CMP_LE:
      result = old <= with;
      return true;
    case FUTEX_OP_CMP_GT:
      result = old > with;
      return true;
    default:
      return false;
  }
}

}  // namespace

FutexOperation decode_futex_operation(uint32_t encoded, int32_t old) {
  uint32_t operation = encoded >> 28;
  int32_t argument = sign_extend_12(encoded >> 12 & 0xFFF);
  if (operation & FUTEX_OP_OPARG_SHIFT) {
    operation &= ~uint32_t{FUTEX_OP_OPARG_SHIFT};
    argument = static_cast<int32_t>(uint32_t{1} << (argument & 31));
  }
  FutexOperation decoded;
  decoded.known =
      compute(operation, old, argument, decoded.result) &&
      compare(encoded >> 24 & 0xF, old, sign_extend_12(encoded & 0xFFF), decoded.wake_too);
  return decoded;
}

}  // namespace jostle::sync
