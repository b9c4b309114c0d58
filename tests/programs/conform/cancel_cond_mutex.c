// Cancellation in pthread_cond_wait: the handler runs with the mutex held; a signal is not
// swallowed by the cancelled waiter when another one waits.
#include <pthread.h>

#include "../check.h"

enum { kRounds = 40 };

static pthread_mutex_t mutex;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER, arrived = PTHREAD_COND_INITIALIZER;
static int waiting, tickets, taken, cleaned;
static char marks[2];

static void release(void* arg) {
  (void)arg;
  CHECK_RC(pthread_mutex_lock(&mutex), EDEADLK);  // held again by this thread
  cleaned++;
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
}

static void* waiter(void* arg) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  pthread_cleanup_push(release, NULL);
  waiting++;
  CHECK_RC(pthread_cond_signal(&arrived), 0);
  while (tickets == 0) CHECK_RC(pthread_cond_wait(&cond, &mutex), 0);
  tickets--;
  taken++;
  pthread_cleanup_pop(0);
  CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  return arg;
}

int main(void) {
  pthread_mutexattr_t a;
  CHECK_RC(pthread_mutexattr_init(&a), 0);
  CHECK_RC(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK), 0);
  CHECK_RC(pthread_mutex_init(&mutex, &a), 0);

  for (int i = 0; i < kRounds; i++) {
    pthread_t t[2];
    void* result[2];
    waiting = tickets = taken = cleaned = 0;
    for (int k = 0; k < 2; k++) CHECK_RC(pthread_create(&t[k], NULL, waiter, &marks[k]), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    while (waiting < 2) CHECK_RC(pthread_cond_wait(&arrived, &mutex), 0);
    // One ticket, one signal, one cancellation: the ticket is always taken, by either.
    tickets = 1;
    if (i % 2 == 0) {
      CHECK_RC(pthread_cancel(t[0]), 0);
      CHECK_RC(pthread_cond_signal(&cond), 0);
    } else {
      CHECK_RC(pthread_cond_signal(&cond), 0);
      CHECK_RC(pthread_cancel(t[0]), 0);
    }
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_join(t[0], &result[0]), 0);
    CHECK_RC(pthread_mutex_lock(&mutex), 0);
    if (result[0] == PTHREAD_CANCELED) {
      CHECK_EQ(cleaned, 1);
    } else {  // it had the ticket before the request took effect: feed the other
      CHECK(result[0] == &marks[0]);
      CHECK_EQ(taken, 1);
      tickets = 1;
      CHECK_RC(pthread_cond_signal(&cond), 0);
    }
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
    CHECK_RC(pthread_join(t[1], &result[1]), 0);
    CHECK(result[1] == &marks[1]);
    CHECK_EQ(tickets, 0);
    CHECK_RC(pthread_mutex_trylock(&mutex), 0);
    CHECK_RC(pthread_mutex_unlock(&mutex), 0);
  }
  return check_passed("cancel_cond_mutex");
}

// SPDX-License-Identifier: Apache-2.0
