// SPDX-License-Identifier: Apache-2.0
// A pointer is replaced and its old target freed after a grace period, while two readers look at it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <urcu.h>

struct pair {
  int left, right;
};
static struct pair* current;

static struct pair* new_pair(int number) {
  struct pair* pair = malloc(sizeof *pair);
  pair->left = pair->right = number;
  return pair;
}

static void* reader(void* unused) {
  rcu_register_thread();
  for (int i = 0; i < 2; ++i) {
    rcu_read_lock();
    const struct pair* pair = rcu_dereference(current);
    assert(pair->left == pair->right);
    rcu_read_unlock();
  }
  rcu_unregister_thread();
  return unused;
}

static void* writer(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    struct pair* old = rcu_xchg_pointer(&current, new_pair(i));
    synchronize_rcu();
    old->left = -1;
    free(old);
  }
  return unused;
}

int main(void) {
  rcu_init();
  current = new_pair(0);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, i == 0 ? writer : reader, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  free(current);
}
