// Two runners on one course of checkpoints; each checkpoint is meant for one of them.
//
// Wrong: the program believes that the runners will never reach all the checkpoints in their order.
// Shown when: every turn is taken by the runner for whom the next checkpoint is: one of the 2.7
// million orders in which two threads can take twelve turns each.
// Failure: assert.
// From: "checkpoints" of Taming pthreads ("very rare schedule"); it gives no source, this is our
// reading.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>

static const char course[] = "abbabaaabbababbbaabaabba";
enum { kCheckpoints = sizeof course - 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int reached;
static int lost;

static void* run(void* arg) {
  const char me = (char)(intptr_t)arg;
  for (int turn = 0; turn < kCheckpoints / 2; turn++) {
    pthread_mutex_lock(&lock);
    if (course[reached] == me) {
      reached++;
    } else {
      lost = 1;
    }
    if (!lost) assert(reached < kCheckpoints);
    const int give_up = lost;
    pthread_mutex_unlock(&lock);
    if (give_up) break;
    sched_yield();
  }
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, run, (void*)(intptr_t)'a');
  pthread_create(&b, NULL, run, (void*)(intptr_t)'b');
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
