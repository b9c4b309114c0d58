// A fast Fourier transform in whole numbers (modulo 257), in place, stage by stage; two threads
// share the butterflies of each stage.
//
// Wrong: the barrier after a stage is missing where the program thinks that a stage touches only
// the thread's own half, which is not true of the last one.
// Shown when: one thread begins with the last stage before the other has finished the one before.
// Failure: assert (transforming back does not give the input).
// From: the missing synchronisation of "Splash2/fft" in SCTBench and the reads-from fuzzer paper.
#include <pthread.h>

#include <cassert>
#include <thread>

constexpr int kSize = 16;
constexpr int kStages = 4;
constexpr int kThreads = 2;
constexpr int kPrime = 257;
constexpr int kRoot = 249;  // its 16th power is 1 modulo 257, and no smaller one is

static int data[kSize];
static pthread_barrier_t barrier;

static int power(int base, int exponent) {
  int result = 1;
  for (int i = 0; i < exponent; i++) result = result * base % kPrime;
  return result;
}

static void butterfly(int* upper, int* lower, int factor) {
  const int a = *upper, b = *lower * factor % kPrime;
  *upper = (a + b) % kPrime;
  *lower = (a - b + kPrime) % kPrime;
}

// Numbers 0, 1, 2, … with their bits in reverse.
static int reversed(int index) {
  int result = 0;
  for (int bit = 0; bit < kStages; bit++) result |= ((index >> bit) & 1) << (kStages - 1 - bit);
  return result;
}

static void transform(int thread, int root) {
  for (int stage = 0; stage < kStages; stage++) {
    const int half = 1 << stage;
    for (int k = thread * kSize / 4; k < (thread + 1) * kSize / 4; k++) {
      const int place = k % half;
      const int upper = k / half * 2 * half + place;
      butterfly(&data[upper], &data[upper + half], power(root, place * (kSize / 2 / half)));
    }
#ifdef FIXED
    pthread_barrier_wait(&barrier);
#endif
  }
}

static void transform_in_parallel(int root) {
  int ordered[kSize];
  for (int i = 0; i < kSize; i++) ordered[reversed(i)] = data[i];
  for (int i = 0; i < kSize; i++) data[i] = ordered[i];
  std::thread helper(transform, 1, root);
  transform(0, root);
  helper.join();
}

int main() {
  pthread_barrier_init(&barrier, nullptr, kThreads);
  for (int i = 0; i < kSize; i++) data[i] = i * i % 100;
  transform_in_parallel(kRoot);
  transform_in_parallel(power(kRoot, kSize - 1));
  for (int i = 0; i < kSize; i++) assert(data[i] == i * i % 100 * kSize % kPrime);
  pthread_barrier_destroy(&barrier);
}

// SPDX-License-Identifier: Apache-2.0
