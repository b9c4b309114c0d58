// SPDX-License-Identifier: Apache-2.0
#include "src/base/x86_length.h"

#include <gtest/gtest.h>

#include <vector>

namespace jostle {
namespace {

using Bytes = std::vector<uint8_t>;

size_t length(const Bytes& code) { return x86_length(code.data(), code.size()); }

// Each with bytes behind it that are not its own.
void expect_all_of(Bytes code) {
  const size_t size = code.size();
  code.insert(code.end(), 8, 0x90);
  EXPECT_EQ(length(code), size) << std::hex << int{code[0]} << " " << int{code[1]};
}

TEST(X86Length, OfWhatCompilersEmit) {
  expect_all_of({0x0f, 0x05});                          // syscall
  expect_all_of({0xe8, 0x0f, 0x05, 0x00, 0x00});        // call: a distance that looks like one
  expect_all_of({0xbd, 0xca, 0x00, 0x00, 0x00});        // mov $0xca, %ebp
  expect_all_of({0x8b, 0x35, 0xfc, 0x85, 0x02, 0x00});  // mov 0x285fc(%rip), %esi
  expect_all_of({0x48, 0x83, 0xf8, 0xda});              // cmp $-38, %rax
  expect_all_of({0x48, 0x83, 0x6c, 0x24, 0x10, 0x01});  // subq $1, 0x10(%rsp)
  expect_all_of({0x49, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8});  // movabs $…, %r8
  expect_all_of({0x66, 0xb8, 1, 2});                    // mov $…, %ax
  expect_all_of({0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0});     // nopw %cs:0(%rax,%rax,1)
  expect_all_of({0xf6, 0x43, 0x10, 0x01});                          // testb $1, 0x10(%rbx)
  expect_all_of({0xf7, 0xd8});                                      // neg %eax
  expect_all_of({0x48, 0xf7, 0xc1, 1, 2, 3, 4});                    // test $…, %rcx
  expect_all_of({0xf0, 0x0f, 0xb1, 0x0f});                          // lock cmpxchg %ecx, (%rdi)
  expect_all_of({0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08});              // palignr $8, %xmm1, %xmm0
  expect_all_of({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0});     // mov %fs:0x28, %rax
  expect_all_of({0x48, 0xc7, 0x84, 0x24, 1, 2, 3, 4, 5, 6, 7, 8});  // movq $…, …(%rsp)
  expect_all_of({0x0f, 0x84, 1, 2, 3, 4});                          // je
  expect_all_of({0xc3});                                            // ret
}

TEST(X86Length, OfVectorInstructions) {
  expect_all_of({0xc5, 0xf8, 0x77});                          // vzeroupper
  expect_all_of({0xc5, 0xfe, 0x6f, 0x46, 0x20});              // vmovdqu 0x20(%rsi), %ymm0
  expect_all_of({0xc4, 0xe2, 0x7d, 0x59, 0xc1});              // vpbroadcastq %xmm1, %ymm0
  expect_all_of({0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01});        // vextracti128 $1, %ymm0, %xmm1
  expect_all_of({0xc5, 0xf9, 0x70, 0xc1, 0x4e});              // vpshufd $0x4e, %xmm1, %xmm0
  expect_all_of({0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x46, 0x01});  // vmovdqu64 0x40(%rsi), %zmm0
  expect_all_of({0x62, 0xf3, 0xfd, 0x48, 0x3b, 0xc1, 0x01});  // vextracti64x4 $1, …
}

TEST(X86Length, IsNotGuessed) {
  EXPECT_EQ(length({0x62, 0xf1, 0x7c, 0x48}), 0u);        // EVEX, and no more
  EXPECT_EQ(length({0xc4, 0xe9, 0x78, 0x10, 0xc0}), 0u);  // a map of opcodes that is not known
  EXPECT_EQ(length({0x06}), 0u);                          // not in this mode
  for (const Bytes& cut : {Bytes{}, Bytes{0x48}, Bytes{0x0f}, Bytes{0xe8, 1, 2}, Bytes{0x8b},
                           Bytes{0x8b, 0x84}, Bytes{0x0f, 0x38}}) {
    EXPECT_EQ(length(cut), 0u);
  }
}

}  // namespace
}  // namespace jostle
