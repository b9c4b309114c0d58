// Several mutexes at once: transfers between accounts locked in address order keep the total;
// hand-over-hand locking along a list; mutexes inside heap objects freed by the last holder.
#include <pthread.h>
#include <stdlib.h>

#include "../check.h"

enum { kAccounts = 5, kThreads = 4, kRounds = 80, kNodes = 8 };

static struct account {
  pthread_mutex_t mutex;
  long balance;
} accounts[kAccounts];

static struct node {
  pthread_mutex_t mutex;
  int visits;
  struct node* next;
} * list;

static struct shared {
  pthread_mutex_t mutex;
  int references;
} * object;

static void transfer(int from, int to, long amount) {
  struct account *a = &accounts[from], *b = &accounts[to];
  struct account *first = a < b ? a : b, *second = a < b ? b : a;
  CHECK_RC(pthread_mutex_lock(&first->mutex), 0);
  CHECK_RC(pthread_mutex_lock(&second->mutex), 0);
  a->balance -= amount;
  b->balance += amount;
  CHECK_RC(pthread_mutex_unlock(&first->mutex), 0);
  CHECK_RC(pthread_mutex_unlock(&second->mutex), 0);
}

static void walk(void) {
  struct node* n = list;
  CHECK_RC(pthread_mutex_lock(&n->mutex), 0);
  for (;;) {
    n->visits++;
    struct node* next = n->next;
    if (!next) break;
    CHECK_RC(pthread_mutex_lock(&next->mutex), 0);
    CHECK_RC(pthread_mutex_unlock(&n->mutex), 0);
    n = next;
  }
  CHECK_RC(pthread_mutex_unlock(&n->mutex), 0);
}

static void* body(void* arg) {
  unsigned seed = *(unsigned*)arg;
  for (int i = 0; i < kRounds; i++) {
    seed = seed * 1103515245u + 12345u;
    int from = (int)(seed >> 8) % kAccounts,
        to = (from + 1 + (int)(seed >> 20) % (kAccounts - 1)) % kAccounts;
    transfer(from, to, (long)(seed % 100));
    if (i % 4 == 0) walk();
  }
  CHECK_RC(pthread_mutex_lock(&object->mutex), 0);
  int last = --object->references == 0;
  CHECK_RC(pthread_mutex_unlock(&object->mutex), 0);
  if (last) {
    CHECK_RC(pthread_mutex_destroy(&object->mutex), 0);
    free(object);
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < kAccounts; i++) {
    CHECK_RC(pthread_mutex_init(&accounts[i].mutex, NULL), 0);
    accounts[i].balance = 1000;
  }
  for (int i = 0; i < kNodes; i++) {
    struct node* n = calloc(1, sizeof *n);
    CHECK(n);
    CHECK_RC(pthread_mutex_init(&n->mutex, NULL), 0);
    n->next = list;
    list = n;
  }
  object = malloc(sizeof *object);
  CHECK(object);
  CHECK_RC(pthread_mutex_init(&object->mutex, NULL), 0);
  object->references = kThreads;

  pthread_t t[kThreads];
  unsigned seeds[kThreads];
  for (unsigned i = 0; i < kThreads; i++) {
    seeds[i] = i + 1;
    CHECK_RC(pthread_create(&t[i], NULL, body, &seeds[i]), 0);
  }
  for (int i = 0; i < kThreads; i++) CHECK_RC(pthread_join(t[i], NULL), 0);
  long total = 0;
  for (int i = 0; i < kAccounts; i++) total += accounts[i].balance;
  CHECK_EQ(total, 1000 * kAccounts);
  while (list) {
    struct node* n = list;
    CHECK_EQ(n->visits, kThreads * kRounds / 4);
    list = n->next;
    CHECK_RC(pthread_mutex_destroy(&n->mutex), 0);
    free(n);
  }
  return check_passed("mutex_many");
}

// SPDX-License-Identifier: Apache-2.0
