// build: -fopenmp
// Everything by which OpenMP orders threads; no two accesses race.
#include <omp.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

int fibonacci(int n) {
  if (n < 2) return n;
  int a, b;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

void loops(std::vector<int>& v) {
  long sum = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 6; ++i) v[i] = i;
#pragma omp for schedule(guided)
    for (int i = 0; i < 6; ++i) v[5 - i] *= 2;
#pragma omp sections
    {
#pragma omp section
      v[0] = 5;
#pragma omp section
      v[1] = 6;
    }
    expect(v[0] == 5 && v[1] == 6);
  }
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 6; ++i) v[i] += 1;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 6; ++i) sum += v[i];
  expect(sum == 45);
}

void locks() {
  int unnamed = 0, named = 0, atomic = 0, locked = 0, order = 0, copied = 0, master = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp critical
    ++unnamed;
#pragma omp critical(other)
    ++named;
#pragma omp atomic
    ++atomic;
    omp_set_lock(&lock);
    ++locked;
    omp_unset_lock(&lock);
    if (omp_test_lock(&lock)) {
      locked += 0;
      omp_unset_lock(&lock);
    }
    int mine;
#pragma omp single copyprivate(mine)
    mine = copied = 7;
    expect(mine == copied);
#pragma omp for ordered
    for (int i = 0; i < 3; ++i) {
#pragma omp ordered
      order = 10 * order + i;
    }
#pragma omp master
    master = 1;
#pragma omp barrier
    expect(master == 1);
  }
  omp_destroy_lock(&lock);
  expect(unnamed == 2 && named == 2 && atomic == 2 && locked == 2 && order == 12);
}

void tasks(std::vector<int>& v) {
  int result = 0, size = 0, dependent = 0;
  long sum = 0;
  const std::string text = "longer than a string without a heap block";
#pragma omp parallel
#pragma omp single
  {
    result = fibonacci(3);
#pragma omp task firstprivate(text) shared(size)
    size = static_cast<int>(text.size());
#pragma omp taskgroup
    {
#pragma omp task shared(v)
      v[5] = 50;
    }
    expect(v[5] == 50);
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < 6; ++i) v[i] = i;
    for (int i = 0; i < 6; ++i) expect(v[i] == i);
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < 4; ++i) sum += i;
#pragma omp task depend(out : dependent)
    dependent = 1;
#pragma omp task depend(in : dependent)
    expect(dependent == 1);
  }
  expect(result == 2 && size == static_cast<int>(text.size()) && sum == 6);
  long parts = 0;
#pragma omp parallel reduction(task, + : parts)
#pragma omp single
  {
#pragma omp task in_reduction(+ : parts)
    parts += 5;
  }
  expect(parts == 5);
}

}  // namespace

int main() {
  omp_set_num_threads(2);
  std::vector<int> v(6);
  loops(v);
  locks();
  tasks(v);
}

// SPDX-License-Identifier: Apache-2.0
