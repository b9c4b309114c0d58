// Dining philosophers: PHILOSOPHERS threads, a fork between any two neighbours.
//
// Wrong: everyone takes the left fork first.
// Shown when: everyone has taken the left fork before anyone has taken the right one.
// Failure: deadlock.
// From: Dijkstra (1965); SCTBench "CS.din_philN_sat".
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifndef PHILOSOPHERS
#define PHILOSOPHERS 5
#endif

static pthread_mutex_t forks[PHILOSOPHERS];
static int meals[PHILOSOPHERS];

static void* dine(void* arg) {
  const int me = (int)(intptr_t)arg;
  int first = me, second = (me + 1) % PHILOSOPHERS;
#ifdef FIXED
  if (second < first) {
    second = me;
    first = 0;
  }
#endif
  pthread_mutex_lock(&forks[first]);
  pthread_mutex_lock(&forks[second]);
  meals[me]++;
  pthread_mutex_unlock(&forks[second]);
  pthread_mutex_unlock(&forks[first]);
  return NULL;
}

int main(void) {
  pthread_t philosophers[PHILOSOPHERS];
  for (int i = 0; i < PHILOSOPHERS; i++) pthread_mutex_init(&forks[i], NULL);
  for (int i = 0; i < PHILOSOPHERS; i++)
    pthread_create(&philosophers[i], NULL, dine, (void*)(intptr_t)i);
  for (int i = 0; i < PHILOSOPHERS; i++) pthread_join(philosophers[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
