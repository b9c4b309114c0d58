// SPDX-License-Identifier: Apache-2.0
#include "src/report/symbols/assembly_atomics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "src/base/atomic_instructions.h"

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<uint8_t> bytes(std::vector<uint32_t> words) {
  std::vector<uint8_t> result;
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) result.push_back(word >> shift & 0xff);
  }
  return result;
}

std::vector<size_t> atomic_instructions(const std::vector<uint8_t>& code, Processor processor) {
  std::vector<size_t> found;
  for (size_t at = 0; at < code.size();) {
    at = next_atomic_instruction(code.data(), code.size(), at, processor);
    if (at == code.size()) break;
    found.push_back(at);
    at = behind_instruction(code.data(), code.size(), at, processor);
  }
  return found;
}

TEST(AssemblyAtomics, AreFoundInCodeForAarch64) {
  // ldaxr w1, [x0]; stlxr w2, w1, [x0]; casal w1, w2, [x0]; ldaddal w1, w2, [x0]; swp w1, w2, [x0]
  const auto code = bytes({0x885ffc01, 0x8802fc01, 0x88e1fc02, 0xb8e10002, 0xb8218002});
  EXPECT_THAT(atomic_instructions(code, Processor::aarch64), ElementsAre(4, 8, 12, 16));
}

TEST(AssemblyAtomics, AreNotLoadsStoresAndBarriers) {
  // ldr w0, [x1]; str w0, [x1, #4]; ldar w0, [x1]; stlr w0, [x1]; dmb ish; ldp x29, x30, [sp], #16;
  // ldr w0, [x1, x2]
  const auto code =
      bytes({0xb9400020, 0xb9000420, 0x88dffc20, 0x889ffc20, 0xd5033bbf, 0xa8c17bfd, 0xb8626820});
  EXPECT_THAT(atomic_instructions(code, Processor::aarch64), IsEmpty());
}

TEST(AssemblyAtomics, AreFoundInCodeForX86) {
  // nop; lock cmpxchg %rdx,(%rdi); lock xadd %eax,(%rdi); lock orq $0,(%rsp) is a barrier; ret
  const std::vector<uint8_t> code = {0x90, 0xf0, 0x48, 0x0f, 0xb1, 0x17, 0xf0, 0x0f, 0xc1,
                                     0x07, 0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00, 0xc3};
  EXPECT_THAT(atomic_instructions(code, Processor::x86_64), ElementsAre(1, 6));
}

// All that is atomic on x86-64, and only where an instruction begins.
TEST(AssemblyAtomics, OfX86NeedNotCompare) {
  // xchg %eax,(%rdi); lock incl 4(%rdi); lock andq $-2,(%r12); xchg %rax,%rbx; mov $0xf0,%cl;
  // add %eax,(%rcx); vmovdqu %ymm0,(%rdi); lock btsl $0,(%rdi)
  const std::vector<uint8_t> code = {0x87, 0x07, 0xf0, 0xff, 0x47, 0x04, 0xf0, 0x49, 0x83, 0x24,
                                     0x24, 0xfe, 0x48, 0x93, 0x48, 0x87, 0xc3, 0xb1, 0xf0, 0x01,
                                     0x01, 0xc5, 0xfe, 0x7f, 0x07, 0xf0, 0x0f, 0xba, 0x2f, 0x00};
  EXPECT_THAT(atomic_instructions(code, Processor::x86_64), ElementsAre(0, 2, 6, 25));
}

TEST(AssemblyAtomics, AreDescribedByTheirFunctions) {
  EXPECT_THAT(describe_assembly_atomics({"add"}), HasSubstr("in add: inline assembly"));
  EXPECT_THAT(describe_assembly_atomics({"a", "b"}), HasSubstr("in a and another function:"));
  EXPECT_THAT(describe_assembly_atomics({"a", "b", "c"}), HasSubstr("in a and 2 other functions:"));
}

TEST(AssemblyAtomics, AreNoneInWhatIsNoProgram) {
  EXPECT_THAT(functions_with_assembly_atomics("/nonexistent"), IsEmpty());
  EXPECT_THAT(functions_with_assembly_atomics("/etc/passwd"), IsEmpty());
  EXPECT_FALSE(has_assembly_atomics("/nonexistent"));
  EXPECT_FALSE(has_assembly_atomics("/etc/passwd"));
}

}  // namespace
}  // namespace jostle::report
