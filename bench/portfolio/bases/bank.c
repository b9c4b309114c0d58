// SPDX-License-Identifier: Apache-2.0
// Transfers between accounts, with the locks taken in order, and a log of them.
#include <pthread.h>

enum { ACCOUNTS = 3 };
static pthread_mutex_t locks[ACCOUNTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                          PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int balance[ACCOUNTS] = {100, 100, 100};
static int logged[16], log_length;

static void write_log(int amount) {
  pthread_mutex_lock(&log_lock);
  logged[log_length] = amount;
  ++log_length;
  pthread_mutex_unlock(&log_lock);
}
static void transfer(int from, int to, int amount) {
  const int low = from < to ? from : to;
  pthread_mutex_lock(&locks[low]);
  pthread_mutex_lock(&locks[from + to - low]);
  if (balance[from] >= amount) {
    balance[from] -= amount;
    balance[to] += amount;
  }
  pthread_mutex_unlock(&locks[from + to - low]);
  pthread_mutex_unlock(&locks[low]);
  write_log(amount);
}
static void* one(void* unused) {
  transfer(0, 1, 30);
  transfer(1, 2, 10);
  return unused;
}
static void* two(void* unused) {
  transfer(2, 0, 50);
  transfer(1, 0, 20);
  return unused;
}
static void* three(void* unused) {
  transfer(2, 1, 60);
  transfer(0, 2, 40);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  pthread_create(&threads[2], 0, three, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return balance[0] + balance[1] + balance[2] != 300 || log_length != 6;
}
