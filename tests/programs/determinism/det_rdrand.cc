// Random numbers of the processor's own, in all sizes and into all registers: equal in every run.
// Where there is no such instruction the program prints as many zeros.
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

static std::mutex turn;

static void need(bool what) {
  if (!what) std::abort();
}

#if defined(__x86_64__)
static bool has_random() {
  unsigned a, b, c, d, b7 = 0, c7, d7;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  __get_cpuid_count(7, 0, &a, &b7, &c7, &d7);
  return (c & bit_RDRND) && (b7 & bit_RDSEED);
}

// The instruction writes `name`, of which all bits were set, and sets the carry.
#define FROM_PROCESSOR(instruction, name, whole)                                               \
  [] {                                                                                         \
    uint64_t number;                                                                           \
    unsigned char carry;                                                                       \
    do {                                                                                       \
      asm volatile("movq $-1, %%" whole "\n" instruction " %%" name "\nsetc %1\nmovq %%" whole \
                   ", %0"                                                                      \
                   : "=m"(number), "=m"(carry)                                                 \
                   :                                                                           \
                   : whole, "cc");                                                             \
    } while (!carry);                                                                          \
    return number;                                                                             \
  }()

static void numbers(uint64_t (&to)[8]) {
  if (!has_random()) return;
  to[0] = FROM_PROCESSOR("rdrand", "rax", "rax");
  to[1] = FROM_PROCESSOR("rdrand", "r13", "r13");
  to[2] = FROM_PROCESSOR("rdrand", "edi", "rdi");
  to[3] = FROM_PROCESSOR("rdrand", "r9d", "r9");
  to[4] = FROM_PROCESSOR("rdrand", "si", "rsi");
  to[5] = FROM_PROCESSOR("rdrand", "r10w", "r10");
  to[6] = FROM_PROCESSOR("rdseed", "rdx", "rdx");
  to[7] = FROM_PROCESSOR("rdseed", "r15d", "r15");
  need(to[2] >> 32 == 0 && to[3] >> 32 == 0 && to[7] >> 32 == 0);
  need(to[4] >> 16 == 0xffffffffffff && to[5] >> 16 == 0xffffffffffff);
  need(to[0] != to[1] && to[1] != to[6]);
}
#else
static void numbers(uint64_t (&)[8]) {}
#endif

static void work(char who) {
  for (int i = 0; i < 2; ++i) {
    uint64_t got[8] = {};
    numbers(got);
    const std::lock_guard lock(turn);
    std::printf("%c", who);
    for (uint64_t number : got) std::printf(" %llx", static_cast<unsigned long long>(number));
    std::printf("\n");
  }
}

int main() {
  std::thread a(work, 'a'), b(work, 'b');
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
