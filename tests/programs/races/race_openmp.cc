// build: -fopenmp
// What OpenMP orders, by libgomp as the distribution built it, and what it does not.
#include <omp.h>

#include "scenario.h"

static long data, other;

SCENARIO(before_and_after_a_region, clean) {
  long values[4];
  data = 1;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 4; ++i) values[i] = data + i;
  for (const long value : values) other += value;
}
SCENARIO(shared_sum, racy) {
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; ++i) data += i;
}
SCENARIO(reduction, clean) {
  long sum = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum) schedule(dynamic)
  for (int i = 0; i < 6; ++i) sum += i;
  data = sum;
}
SCENARIO(critical, clean) {
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    ++data;
#pragma omp critical(named)
    ++other;
  }
  sink = data + other;
}
SCENARIO(two_critical_names, racy) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
      ++data;
    } else {
#pragma omp critical(another)
      ++data;
    }
  }
}
SCENARIO(barrier, clean) {
  long mine[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    mine[me] = 1;
#pragma omp barrier
    sink = mine[1 - me];
  }
}
SCENARIO(loop_without_a_barrier, racy) {
  long values[4] = {0, 0, 0, 0};
#pragma omp parallel num_threads(2)
  {
#pragma omp for nowait
    for (int i = 0; i < 4; ++i) values[i] = i;
#pragma omp for nowait
    for (int i = 0; i < 4; ++i) sink = values[3 - i];
  }
}
SCENARIO(loop_with_its_barrier, clean) {
  long values[4] = {0, 0, 0, 0};
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 4; ++i) values[i] = i;
#pragma omp for
    for (int i = 0; i < 4; ++i) sink = values[3 - i];
  }
}
SCENARIO(single_for_all, clean) {
#pragma omp parallel num_threads(2)
  {
    long copied = 0;
#pragma omp single copyprivate(copied)
    copied = data = 1;
    sink = copied + data;
  }
}
SCENARIO(tasks_and_taskwait, clean) {
  long left = 0, right = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    data = 1;
#pragma omp task shared(left)
    left = data;
#pragma omp task shared(right)
    right = data;
#pragma omp taskwait
    other = left + right;
  }
}
SCENARIO(tasks_side_by_side, racy) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    data = 1;
#pragma omp task
    data = 2;
  }
}
SCENARIO(tasks_that_depend, clean) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : data)
    data = 1;
#pragma omp task depend(inout : data)
    data += 1;
  }
  sink = data;
}
struct Counted {
  Counted() = default;
  Counted(const Counted& from) : value(from.value + 1) {}
  long value = 0;
};
SCENARIO(task_with_a_copied_object, clean) {
  long seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    Counted counted;
#pragma omp task firstprivate(counted) shared(seen)
    seen = counted.value;
#pragma omp taskwait
    if (seen < 1) __builtin_abort();
  }
}
SCENARIO(ordered, clean) {
#pragma omp parallel for num_threads(2) ordered
  for (int i = 0; i < 4; ++i) {
#pragma omp ordered
    data += i;
  }
  if (data != 6) __builtin_abort();
}
SCENARIO(lock, clean) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    omp_set_lock(&lock);
    ++data;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}
SCENARIO(sections, clean) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    data = 1;
#pragma omp section
    other = 1;
  }
  sink = data + other;
}
SCENARIO(task_reduction, clean) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(task, + : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1;
  }
  if (sum != 2) __builtin_abort();
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
