// LU factorisation of a small matrix (modulo a prime, so that it is exact); rows are dealt out to
// two threads.
//
// Wrong: no barrier between two steps of the elimination.
// Shown when: a thread uses a pivot row that the other has not finished in the step before.
// Failure: assert (the factors do not multiply to the matrix).
// From: the missing synchronisation of "Splash2/lu" in SCTBench and the reads-from fuzzer paper.
#include <pthread.h>

#include <cassert>
#include <thread>

constexpr int kSize = 5;
constexpr int kThreads = 2;
constexpr int kPrime = 101;

static int original[kSize][kSize];
static int matrix[kSize][kSize];  // L below the diagonal, U on it and above
static pthread_barrier_t barrier;

static int inverse(int value) {
  int result = 1;
  for (int i = 0; i < kPrime - 2; i++) result = result * value % kPrime;
  return result;
}

static void factorise(int thread) {
  for (int step = 0; step + 1 < kSize; step++) {
    const int pivot_inverse = inverse(matrix[step][step]);
    for (int row = step + 1; row < kSize; row++) {
      if (row % kThreads != thread) continue;
      const int factor = matrix[row][step] * pivot_inverse % kPrime;
      matrix[row][step] = factor;
      for (int column = step + 1; column < kSize; column++) {
        const int change = factor * matrix[step][column] % kPrime;
        matrix[row][column] = (matrix[row][column] - change + kPrime) % kPrime;
      }
    }
#ifdef FIXED
    pthread_barrier_wait(&barrier);
#endif
  }
}

int main() {
  // One over (row + column + 1): all its leading minors are invertible.
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < kSize; j++) original[i][j] = matrix[i][j] = inverse(i + j + 1);
  }
  pthread_barrier_init(&barrier, nullptr, kThreads);
  std::thread even(factorise, 0), odd(factorise, 1);
  even.join();
  odd.join();
  pthread_barrier_destroy(&barrier);
  for (int i = 0; i < kSize; i++) {
    for (int j = 0; j < kSize; j++) {
      int sum = 0;
      for (int k = 0; k <= i && k <= j; k++) sum += (k == i ? 1 : matrix[i][k]) * matrix[k][j];
      assert(sum % kPrime == original[i][j]);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
