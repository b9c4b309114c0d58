// fails: deadlock (some schedules)
// A transfer locks the source before the target; two opposite transfers each hold one. Shown when
// both have taken their first lock.
#include <pthread.h>

struct account {
  pthread_mutex_t mutex;
  long balance;
};

static struct account checking = {PTHREAD_MUTEX_INITIALIZER, 500};
static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 500};

static void transfer(struct account* from, struct account* to, long amount) {
  pthread_mutex_lock(&from->mutex);
  pthread_mutex_lock(&to->mutex);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&to->mutex);
  pthread_mutex_unlock(&from->mutex);
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
