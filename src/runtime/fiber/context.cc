// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/fiber/context.h"

#include <sys/auxv.h>

#include <cstdint>

namespace jostle::rt {

extern "C" __attribute__((visibility("hidden"))) unsigned char jostle_has_fsgsbase;
unsigned char jostle_has_fsgsbase = 0;

void init_switch() {
#if defined(__x86_64__)
  constexpr unsigned long kFsgsbase = 1 << 1;  // HWCAP2_FSGSBASE: the kernel allows wrfsbase
  jostle_has_fsgsbase = (getauxval(AT_HWCAP2) & kFsgsbase) != 0;
#endif
}

void* prepare_stack(void* top, void (*entry)(void*), void* argument) {
  uintptr_t sp = reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15};
#if defined(__aarch64__)
  auto* frame = reinterpret_cast<uint64_t*>(sp - 176);
  for (int i = 0; i < 22; ++i) frame[i] = 0;
  frame[0] = reinterpret_cast<uint64_t>(entry);                // x19
  frame[1] = reinterpret_cast<uint64_t>(argument);             // x20
  frame[11] = reinterpret_cast<uint64_t>(jostle_fiber_start);  // x30
  uint64_t fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  uint64_t fpsr;
  asm volatile("mrs %0, fpsr" : "=r"(fpsr));
  frame[20] = fpcr;  // a new thread inherits its creator's rounding mode
  frame[21] = fpsr;
  return frame;
#elif defined(__x86_64__)
  // After the pops and the ret the stack must be 16-byte aligned at the call in jostle_fiber_start.
  auto* frame = reinterpret_cast<uint64_t*>(sp - 16 - 8 * 8);
  for (int i = 0; i < 8; ++i) frame[i] = 0;
  uint32_t mxcsr;
  uint16_t fcw, fsw;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(fcw));
  asm volatile("fnstsw %0" : "=m"(fsw));
  frame[0] = mxcsr | static_cast<uint64_t>(fcw) << 32 | static_cast<uint64_t>(fsw) << 48;
  // r15 r14 r13 r12 rbx rbp
  frame[4] = reinterpret_cast<uint64_t>(argument);            // r12
  frame[5] = reinterpret_cast<uint64_t>(entry);               // rbx
  frame[7] = reinterpret_cast<uint64_t>(jostle_fiber_start);  // return address
  return frame;
#else
#error "jostle supports aarch64 and x86-64"
#endif
}

}  // namespace jostle::rt
