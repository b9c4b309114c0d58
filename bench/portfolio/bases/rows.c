// SPDX-License-Identifier: Apache-2.0
// Rows of a matrix are handed out by an atomic counter; a barrier, and every thread adds up a column.
#include <pthread.h>
#include <stdatomic.h>

enum { ROWS = 4, COLUMNS = 3, THREADS = 3 };
static atomic_int next_row, total;
static int cells[ROWS][COLUMNS];
static pthread_barrier_t barrier;

static void fill(int row) {
  for (int c = 0; c < COLUMNS; ++c) {
    cells[row][c] = row + c;
  }
}
static void* work(void* argument) {
  const int me = (int)(long)argument;
  int row = atomic_fetch_add(&next_row, 1);
  while (row < ROWS) {
    fill(row);
    row = atomic_fetch_add(&next_row, 1);
  }
  pthread_barrier_wait(&barrier);
  int sum = 0;
  for (int r = 0; r < ROWS; ++r) {
    sum += cells[r][me];
  }
  atomic_fetch_add(&total, sum);
  return 0;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, THREADS);
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  return atomic_load(&total) != 30;
}
