// Condition variables: a wait releases the mutex and holds it again on return; n signals wake n
// waiters, one broadcast wakes all; signals nobody waits for are lost.
#include <pthread.h>

#include "../check.h"

enum { kWaiters = 6 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int waiting, tickets, woken, generation;

static void* take_ticket(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  waiting++;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  while (tickets == 0) CHECK_RC(pthread_cond_wait(&cond, &mutex), 0);
  tickets--;
  woken++;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

static void* wait_generation(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  int mine = generation;
  waiting++;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  while (generation == mine) CHECK_RC(pthread_cond_wait(&cond, &mutex), 0);
  woken++;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return NULL;
}

static void start(pthread_t* t, void* (*body)(void*)) {
  waiting = woken = 0;
  for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_create(&t[i], NULL, body, NULL), 0);
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  while (waiting < kWaiters) CHECK_RC(pthread_cond_wait(&arrived, &mutex), 0);
}  // with the mutex held: all waiters are inside pthread_cond_wait

int main(void) {
  pthread_t t[kWaiters];
  for (int i = 0; i < 3; i++) {  // nobody there: no effect
    CHECK_RC(pthread_cond_signal(&cond), 0);
    CHECK_RC(pthread_cond_broadcast(&cond), 0);
  }

  // One signal at a time: each wakes at least one waiter, who finds exactly one ticket.
  start(t, take_ticket);
  for (int i = 0; i < kWaiters; i++) {
    CHECK_EQ(woken, i);
    tickets++;
    CHECK_RC(pthread_cond_signal(&cond), 0);
    while (woken == i) CHECK_RC(pthread_cond_wait(&arrived, &mutex), 0);
    CHECK_EQ(woken, i + 1);
  }
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_join(t[i], NULL), 0);

  // All signals before the mutex is released.
  start(t, take_ticket);
  for (int i = 0; i < kWaiters; i++) {
    tickets++;
    CHECK_RC(pthread_cond_signal(&cond), 0);
  }
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(woken, kWaiters);
  CHECK_EQ(tickets, 0);

  // Signals after the mutex is released.
  start(t, take_ticket);
  tickets = kWaiters;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_cond_signal(&cond), 0);
  for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(woken, kWaiters);

  start(t, wait_generation);
  generation++;
  CHECK_RC(pthread_cond_broadcast(&cond), 0);
  CHECK_EQ(woken, 0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  for (int i = 0; i < kWaiters; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  CHECK_EQ(woken, kWaiters);

  CHECK_RC(pthread_cond_destroy(&cond), 0);
  CHECK_RC(pthread_cond_destroy(&arrived), 0);
  return check_passed("cond_basic");
}

// SPDX-License-Identifier: Apache-2.0
