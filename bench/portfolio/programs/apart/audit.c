// SPDX-License-Identifier: Apache-2.0
// An auditor adds up accounts one lock at a time while others transfer: it misses what moves from an account it has not seen to one it has. It
// complains only if that happens twice.
#include <assert.h>
#include <pthread.h>

enum { ACCOUNTS = 4 };
static pthread_mutex_t locks[ACCOUNTS];
static int balance[ACCOUNTS] = {100, 100, 100, 100};

static void transfer(int from, int to) {
  pthread_mutex_lock(&locks[from < to ? from : to]);
  pthread_mutex_lock(&locks[from < to ? to : from]);
  balance[from] -= 10;
  balance[to] += 10;
  pthread_mutex_unlock(&locks[from]);
  pthread_mutex_unlock(&locks[to]);
}
static void* move_down(void* unused) {
  transfer(1, 0);
  transfer(3, 2);
  return unused;
}
static void* move_across(void* unused) {
  transfer(0, 3);
  transfer(2, 1);
  return unused;
}
static void* add_up(void* unused) {
  int sum = 0;
  for (int i = 0; i < ACCOUNTS; ++i) {
    pthread_mutex_lock(&locks[i]);
    sum += balance[i];
    pthread_mutex_unlock(&locks[i]);
  }
  assert(sum != 380);
  return unused;
}

int main(void) {
  for (int i = 0; i < ACCOUNTS; ++i) pthread_mutex_init(&locks[i], 0);
  pthread_t threads[3];
  pthread_create(&threads[0], 0, add_up, 0);
  pthread_create(&threads[1], 0, move_down, 0);
  pthread_create(&threads[2], 0, move_across, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
