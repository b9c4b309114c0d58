// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/modules/frame_walk.h"

#include "src/runtime/modules/modules.h"

// Layout of Frame: pc, then the registers.
#if defined(__aarch64__)
asm(R"(
        .text
        .globl  jostle_this_frame
        .hidden jostle_this_frame
        .type   jostle_this_frame, %function
jostle_this_frame:
        .cfi_startproc
        str     x30, [x0]
        stp     x19, x20, [x0, #8]
        stp     x21, x22, [x0, #24]
        stp     x23, x24, [x0, #40]
        stp     x25, x26, [x0, #56]
        stp     x27, x28, [x0, #72]
        stp     x29, x30, [x0, #88]
        mov     x1, sp
        str     x1, [x0, #104]
        stp     d8, d9, [x0, #112]
        stp     d10, d11, [x0, #128]
        stp     d12, d13, [x0, #144]
        stp     d14, d15, [x0, #160]
        ret
        .cfi_endproc
        .size   jostle_this_frame, .-jostle_this_frame
)");
#else
asm(R"(
        .text
        .globl  jostle_this_frame
        .hidden jostle_this_frame
        .type   jostle_this_frame, @function
jostle_this_frame:
        .cfi_startproc
        movq    (%rsp), %rax
        movq    %rax, (%rdi)
        movq    %rbx, 8(%rdi)
        movq    %rbp, 16(%rdi)
        leaq    8(%rsp), %rax
        movq    %rax, 24(%rdi)
        movq    %r12, 32(%rdi)
        movq    %r13, 40(%rdi)
        movq    %r14, 48(%rdi)
        movq    %r15, 56(%rdi)
        ret
        .cfi_endproc
        .size   jostle_this_frame, .-jostle_this_frame
)");
#endif

namespace jostle::rt {
namespace {

static_assert(sizeof(Frame) == (1 + kFrameRegisters) * sizeof(uintptr_t));

struct KnownRules {
  uintptr_t instruction = 0;
  FrameRules rules;
};
constexpr size_t kPlaces = 2048;
JOSTLE_KEPT constinit KnownRules g_known[kPlaces];
JOSTLE_KEPT bool g_knows_some = false;

const FrameRules& rules_at(uintptr_t instruction) {
  KnownRules& known = g_known[(instruction ^ instruction >> 11) % kPlaces];
  if (known.instruction != instruction) {
    const uintptr_t description = function_description(instruction);
    g_knows_some = true;
    known.instruction = instruction;
    known.rules = description ? frame_rules(description, instruction) : FrameRules{};
  }
  return known.rules;
}

}  // namespace

bool go_to_caller(Frame& frame, uintptr_t stack_end) {
  if (frame.pc == 0) return false;
  const FrameRules& rules = rules_at(frame.pc - 1);  // the call, not what follows it
  if (!rules.usable || rules.saved[kReturnAddress] == FrameRules::kUnchanged) return false;
  const uintptr_t end = frame.registers[rules.base] + static_cast<uintptr_t>(rules.size);
  if (end <= frame.stack_pointer() || end > stack_end || end % sizeof(uintptr_t) != 0) return false;
  for (int i = 0; i < kFrameRegisters; ++i) {
    const int16_t place = rules.saved[i];
    if (place == FrameRules::kUnchanged) continue;
    if (place == FrameRules::kGone) {
      frame.registers[i] = 0;
      continue;
    }
    const uintptr_t at = end + static_cast<uintptr_t>(static_cast<intptr_t>(place));
    if (at < frame.stack_pointer() || at >= stack_end) return false;
    frame.registers[i] = *reinterpret_cast<const uintptr_t*>(at);
  }
  frame.registers[kStackPointer] = end;
  frame.pc = frame.registers[kReturnAddress];
  return true;
}

void forget_frame_rules() {
  if (!g_knows_some) return;  // when the process starts: nothing is written
  for (KnownRules& known : g_known) known.instruction = 0;
  g_knows_some = false;
}

}  // namespace jostle::rt
