// build: -fopenmp
// The same counted right, in four ways.
#include <atomic>
#include <cassert>

int main() {
  std::atomic<int> n = 0;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) n++;
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
  for (int i = 0; i < 6; ++i) sum += i;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    sum++;
#pragma omp barrier
#pragma omp atomic
    sum += 2;
  }
  assert(n == 6 && sum == 21);
}

// SPDX-License-Identifier: Apache-2.0
