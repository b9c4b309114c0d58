// The processor's own counter of time: virtual, so that it is equal in every run, goes forward, and
// ends loops that wait for it. Whoever reads it keeps all registers. Elsewhere: the clock.
#include <chrono>
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
static uint64_t now() {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return uint64_t{high} << 32 | low;
}

static uint64_t now_and_where(uint32_t& processor) {
  uint32_t low, high;
  asm volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(processor));
  return uint64_t{high} << 32 | low;
}

// Registers that a function may change and this instruction does not, and the carry.
static bool keeps_registers() {
  uint64_t wrong = 0;
  asm volatile(R"(
      movq $1, %%rcx
      movq $2, %%rsi
      movq $3, %%rdi
      movq $4, %%r8
      movq $5, %%r11
      movq %%rdi, %%xmm0
      movq %%r11, %%xmm15
      stc
      rdtsc
      sbbq $0, %%rcx
      subq $2, %%rsi
      orq %%rsi, %%rcx
      subq $3, %%rdi
      orq %%rdi, %%rcx
      subq $4, %%r8
      orq %%r8, %%rcx
      subq $5, %%r11
      orq %%r11, %%rcx
      movq %%xmm0, %%rdi
      subq $3, %%rdi
      orq %%rdi, %%rcx
      movq %%xmm15, %%rdi
      subq $5, %%rdi
      orq %%rdi, %%rcx
      movq %%rcx, %0)"
               : "=m"(wrong)
               :
               : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r11", "xmm0", "xmm15", "cc");
  return wrong == 0;
}
#else
static uint64_t now() {
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}
static uint64_t now_and_where(uint32_t& processor) {
  processor = 0;
  return now();
}
static bool keeps_registers() { return true; }
#endif

static void work(char who) {
  uint32_t processor = 7;
  const uint64_t begin = now(), next = now_and_where(processor);
  need(begin < next && processor == 0 && keeps_registers());
  int rounds = 0;
  while (now() - begin < 100'000) ++rounds;
  const std::lock_guard lock(turn);
  std::printf("%c: %llu %llu, %d rounds\n", who, static_cast<unsigned long long>(begin),
              static_cast<unsigned long long>(next), rounds);
}

int main() {
  std::thread a(work, 'a'), b(work, 'b');
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
