// A socket dumps a table in pieces; its callback block, which is used again for every dump, has a
// reference to the request.
//
// Wrong: when a dump is finished, the block is given back under the lock, but the request is freed
// through the block after the lock has been given up.
// Shown when: another thread starts a dump in between: its request is freed twice, once by each
// thread, and the first request never.
// Failure: heap (double free).
// From: CVE-2016-9806 (Linux, netlink_dump); "ConVul/CVE-2016-9806" of the reads-from fuzzer paper.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

struct callback {
  char* request;
  int pieces_left;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct callback callback;
static bool running;

static bool start_dump(char* request) {
  pthread_mutex_lock(&lock);
  const bool busy = running;
  if (!busy) {
    running = true;
    callback.request = request;
    callback.pieces_left = 1;
  }
  pthread_mutex_unlock(&lock);
  return !busy;
}

// One more piece; the last one ends the dump.
static void dump(void) {
  pthread_mutex_lock(&lock);
  if (!running || callback.pieces_left-- > 1) {
    pthread_mutex_unlock(&lock);
    return;
  }
  running = false;
#ifdef FIXED
  char* request = callback.request;
  pthread_mutex_unlock(&lock);
  free(request);
#else
  pthread_mutex_unlock(&lock);
  free(callback.request);
#endif
}

static void* ask(void* arg) {
  char* request = malloc(100);
  if (request == NULL) exit(2);
  if (start_dump(request)) {
    dump();
  } else {
    free(request);  // busy: try again later
  }
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, ask, NULL);
  pthread_create(&two, NULL, ask, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
