// fails: signal SIGSEGV (some schedules)
// An order violation: the worker is started before what it uses exists. Shown when the worker reads
// the pointer before main has stored it.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
  int verbosity;
};

static struct config* config;

static void* worker(void* arg) {
  (void)arg;
  if (config->verbosity > 1) printf("worker runs\n");
  return NULL;
}

static struct config* load(void) {
  struct config* c = malloc(sizeof *c);
  if (!c) abort();
  c->verbosity = 1;
  return c;
}

int main(void) {
  pthread_t t;
  if (pthread_create(&t, NULL, worker, NULL) != 0) return 2;
  config = load();
  pthread_join(t, NULL);
  free(config);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
