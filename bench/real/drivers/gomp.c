// SPDX-License-Identifier: Apache-2.0
// What libgomp does for a program: loops, reductions, critical sections, tasks, ordered, a barrier.
#include <assert.h>
#include <omp.h>
#include <string.h>

static void loops(void) {
  int sum = 0, most = 0, filled[6];
#pragma omp parallel for num_threads(3) reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 6; ++i) filled[i] = i, sum += i;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) {
#pragma omp critical
    if (filled[i] > most) most = filled[i];
  }
  assert(sum == 15 && most == 5);
}

static int fibonacci(int n) {
  if (n < 2) return n;
  int left, right;
#pragma omp task shared(left)
  left = fibonacci(n - 1);
#pragma omp task shared(right)
  right = fibonacci(n - 2);
#pragma omp taskwait
  return left + right;
}

static void tasks(void) {
  int result = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  result = fibonacci(4);
  assert(result == 3);
}

static void phases(void) {
  int first[2] = {0, 0}, order = 0;
#pragma omp parallel num_threads(2)
  {
    first[omp_get_thread_num()] = 1;
#pragma omp barrier
    assert(first[0] && first[1]);
#pragma omp for ordered
    for (int i = 0; i < 4; ++i) {
#pragma omp ordered
      assert(order++ == i);
    }
  }
}

int main(int count, char** words) {
  (void)count;
  strcmp(words[1], "loops") == 0 ? loops() : strcmp(words[1], "tasks") == 0 ? tasks() : phases();
}
