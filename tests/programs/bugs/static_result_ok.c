// fails: never
// static_result with gmtime_r, which writes to the caller's memory.
#undef NDEBUG  // the assertion is the point
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void* year_of(void* years) {
  const time_t time = *(int*)years * (time_t)(366 * 24 * 60 * 60);
  struct tm parts;
  gmtime_r(&time, &parts);
  assert(parts.tm_year == 70 + *(int*)years);
  return years;
}

int main(void) {
  int years[] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, year_of, &years[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

// SPDX-License-Identifier: Apache-2.0
