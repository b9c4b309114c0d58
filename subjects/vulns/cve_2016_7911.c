// A task's input/output priority is asked for while the task ends.
//
// Wrong: the pointer to the task's context is fetched twice, once to look whether it is there, once
// to use it, without the lock under which the ending task clears it.
// Shown when: it is cleared between the two.
// Failure: crash (null pointer), or heap (use after free) when the pointer was fetched in time.
// From: CVE-2016-7911 (Linux, get_task_ioprio); "ConVul/CVE-2016-7911" of the reads-from fuzzer
// paper.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct io_context {
  int priority;
};

struct task {
  pthread_mutex_t lock;
  struct io_context* volatile io_context;
};

static struct task task = {PTHREAD_MUTEX_INITIALIZER, NULL};

static void* get_priority(void* arg) {
  int* priority = arg;
#ifdef FIXED
  pthread_mutex_lock(&task.lock);
#endif
  if (task.io_context != NULL) *priority = task.io_context->priority;
#ifdef FIXED
  pthread_mutex_unlock(&task.lock);
#endif
  return NULL;
}

static void* end_task(void* arg) {
  pthread_mutex_lock(&task.lock);
  struct io_context* context = task.io_context;
  task.io_context = NULL;
  pthread_mutex_unlock(&task.lock);
  free(context);
  return arg;
}

int main(void) {
  pthread_t asker, ending;
  int priority = -1;
  task.io_context = malloc(sizeof *task.io_context);
  if (task.io_context == NULL) return 2;
  task.io_context->priority = 4;
  pthread_create(&asker, NULL, get_priority, &priority);
  pthread_create(&ending, NULL, end_task, NULL);
  pthread_join(asker, NULL);
  pthread_join(ending, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
