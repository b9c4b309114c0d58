// A thread package's cached monitors: any address can be locked; the monitor that stands for it is
// taken from a small pool when it is first entered, and goes back when the last thread leaves.
//
// Wrong: leaving gives the monitor back to the pool before it is unlocked.
// Shown when: between the two another thread takes that very monitor from the pool, for another
// address: it gets a monitor that somebody still owns.
// Failure: assert.
// From: "RADBench/bug4" of SCTBench and the reads-from fuzzer paper: a test of the thread package
// of the Netscape Portable Runtime. The tables only name it; this is a bug such a package can have.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kMonitors = 4, kBuckets = 2, kThreads = 2, kRounds = 2 };

struct monitor {
  struct monitor* next;  // in its bucket, or in the pool
  const void* address;   // what it stands for
  int users;
  bool owned;
  pthread_mutex_t lock;
  pthread_cond_t released;
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct monitor monitors[kMonitors];
static struct monitor* pool;
static struct monitor* buckets[kBuckets];

static void start_package(void) {
  for (int i = 0; i < kMonitors; i++) {
    pthread_mutex_init(&monitors[i].lock, NULL);
    pthread_cond_init(&monitors[i].released, NULL);
    monitors[i].next = pool;
    pool = &monitors[i];
  }
}

static struct monitor** place_of(const int* address) {
  struct monitor** place = &buckets[(size_t)address / sizeof *address % kBuckets];
  while (*place != NULL && (*place)->address != address) place = &(*place)->next;
  return place;
}

static void own(struct monitor* monitor, bool is_new) {
  pthread_mutex_lock(&monitor->lock);
  assert(!is_new || !monitor->owned);
  while (monitor->owned) pthread_cond_wait(&monitor->released, &monitor->lock);
  monitor->owned = true;
  pthread_mutex_unlock(&monitor->lock);
}

static void disown(struct monitor* monitor) {
  pthread_mutex_lock(&monitor->lock);
  monitor->owned = false;
  pthread_cond_signal(&monitor->released);
  pthread_mutex_unlock(&monitor->lock);
}

static void enter_monitor(const int* address) {
  pthread_mutex_lock(&cache_lock);
  struct monitor** place = place_of(address);
  const bool is_new = *place == NULL;
  if (is_new) {
    *place = pool;
    pool = pool->next;
    (*place)->next = NULL;
    (*place)->address = address;
  }
  struct monitor* monitor = *place;
  monitor->users++;
  // Nobody else knows a new one yet: own it at once.
  if (is_new) own(monitor, true);
  pthread_mutex_unlock(&cache_lock);
  if (!is_new) own(monitor, false);
}

static void exit_monitor(const int* address) {
  pthread_mutex_lock(&cache_lock);
  struct monitor** place = place_of(address);
  struct monitor* monitor = *place;
#ifdef FIXED
  disown(monitor);
#endif
  if (--monitor->users == 0) {
    *place = monitor->next;
    monitor->next = pool;
    pool = monitor;
  }
  pthread_mutex_unlock(&cache_lock);
#ifndef FIXED
  disown(monitor);
#endif
}

static int accounts[2];

static void* work(void* arg) {
  const int me = (int)((int*)arg - accounts);
  for (int round = 0; round < kRounds; round++) {
    const int* address = &accounts[(me + round) % 2];
    enter_monitor(address);
    accounts[(me + round) % 2]++;
    exit_monitor(address);
  }
  return NULL;
}

int main(void) {
  start_package();
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, work, &accounts[i]);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  assert(accounts[0] + accounts[1] == kThreads * kRounds);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
