// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/sync/futex.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace jostle::sync {
namespace {

// FUTEX_OP with its signed arguments cut to 12 bits, which the kernel's macro leaves to the caller.
uint32_t encode(uint32_t operation, int argument, uint32_t comparison, int with) {
  return operation << 28 | comparison << 24 | (static_cast<uint32_t>(argument) & 0xFFF) << 12 |
         (static_cast<uint32_t>(with) & 0xFFF);
}

TEST(FutexOperation, AgreesWithTheKernel) {
  for (uint32_t operation :
       {FUTEX_OP_SET, FUTEX_OP_ADD, FUTEX_OP_OR, FUTEX_OP_ANDN, FUTEX_OP_XOR,
        FUTEX_OP_ADD | FUTEX_OP_OPARG_SHIFT, FUTEX_OP_XOR | FUTEX_OP_OPARG_SHIFT}) {
    for (int argument : {0, 1, 5, 31}) {
      for (int old : {0, 3, 5, -7}) {
        uint32_t first = 0;
        int second = old;
        const uint32_t encoded = encode(operation, argument, FUTEX_OP_CMP_EQ, 0);
        ASSERT_EQ(syscall(SYS_futex, &first, FUTEX_WAKE_OP, 1, 1, &second, encoded), 0);
        const FutexOperation decoded = decode_futex_operation(encoded, old);
        EXPECT_TRUE(decoded.known);
        EXPECT_EQ(decoded.result, second) << operation << " " << argument << " " << old;
      }
    }
  }
}

TEST(FutexOperation, NegativeArguments) {
  EXPECT_EQ(decode_futex_operation(encode(FUTEX_OP_ADD, -1, FUTEX_OP_CMP_EQ, 0), 5).result, 4);
  EXPECT_TRUE(decode_futex_operation(encode(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, -3), -3).wake_too);
}

TEST(FutexOperation, Comparisons) {
  const auto holds = [](uint32_t comparison, int old, int with) {
    return decode_futex_operation(encode(FUTEX_OP_SET, 0, comparison, with), old).wake_too;
  };
  EXPECT_TRUE(holds(FUTEX_OP_CMP_EQ, 2, 2));
  EXPECT_FALSE(holds(FUTEX_OP_CMP_EQ, 2, 3));
  EXPECT_TRUE(holds(FUTEX_OP_CMP_NE, 2, 3));
  EXPECT_TRUE(holds(FUTEX_OP_CMP_LT, 2, 3));
  EXPECT_FALSE(holds(FUTEX_OP_CMP_LT, 3, 3));
  EXPECT_TRUE(holds(FUTEX_OP_CMP_LE, 3, 3));
  EXPECT_TRUE(holds(FUTEX_OP_CMP_GT, 4, 3));
  EXPECT_TRUE(holds(FUTEX_OP_CMP_GE, 3, 3));
  EXPECT_FALSE(holds(FUTEX_OP_CMP_GE, 2, 3));
}

TEST(FutexOperation, Unknown) {
  EXPECT_FALSE(decode_futex_operation(encode(6, 0, FUTEX_OP_CMP_EQ, 0), 0).known);
  EXPECT_FALSE(decode_futex_operation(encode(FUTEX_OP_SET, 0, 9, 0), 0).known);
}

}  // namespace
}  // namespace jostle::sync
