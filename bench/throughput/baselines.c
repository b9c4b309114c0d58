// usage: baselines fork|futex|loop: nanoseconds of what we compare with: fork + exit + wait of an
// almost empty process; a futex hand-off from one thread to another on the same core; a round of a
// loop that does nothing but compute, which tells how fast the processor is.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double forks(int rounds) {
  const double start = now();
  for (int i = 0; i < rounds; i++) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
  }
  return (now() - start) / rounds;
}

// The best of ten, in processor time: each round waits for the one before, and nothing waits for
// memory.
static double loop(void) {
  enum { kLength = 2000000 };
  double best = 1e9;
  for (int turn = 0; turn < 10; turn++) {
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    unsigned long long x = 1;
    for (unsigned i = 0; i < kLength; i++) {
      x = (x ^ i) * 0x9E3779B97F4A7C15ull;
      x ^= x >> 32;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    __asm__ volatile("" : : "r"(x));
    const double took =
        (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
    if (took < best) best = took;
  }
  return best / kLength;
}

enum { kRounds = 100000 };
static int turn;

static void hand_over(int mine) {
  for (int i = 0; i < kRounds; i++) {
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine) {
      syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, !mine, NULL, NULL, 0);
    }
    __atomic_store_n(&turn, !mine, __ATOMIC_RELEASE);
    syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

static void* second(void* unused) {
  hand_over(1);
  return unused;
}

static double futexes(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  pthread_t other;
  pthread_create(&other, NULL, second, NULL);
  const double start = now();
  hand_over(0);
  pthread_join(other, NULL);
  return (now() - start) / (2.0 * kRounds);
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "futex") == 0) {
    printf("%.0f\n", futexes());
  } else if (argc > 1 && strcmp(argv[1], "loop") == 0) {
    printf("%.3f\n", loop());
  } else {
    printf("%.0f\n", forks(3000));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
