// fails: never
// abba_pthread with the locks taken in the order of their addresses.
#include <pthread.h>

struct account {
  pthread_mutex_t mutex;
  long balance;
};

static struct account checking = {PTHREAD_MUTEX_INITIALIZER, 500};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 500};

static void transfer(struct account* from, struct account* to, long amount) {
  struct account* first = from < to ? from : to;
  struct account* second = from < to ? to : from;
  pthread_mutex_lock(&first->mutex);
  pthread_mutex_lock(&second->mutex);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->mutex);
  pthread_mutex_unlock(&first->mutex);
}

static void* save(void* arg) {
  transfer(&checking, &savings, 100);
  return arg;
}

static void* spend(void* arg) {
  transfer(&savings, &checking, 50);
  return arg;
}

int main(void) {
  pthread_t a, b;
  if (pthread_create(&a, NULL, save, NULL) != 0) return 2;
  if (pthread_create(&b, NULL, spend, NULL) != 0) return 2;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return checking.balance + savings.balance == 1000 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
