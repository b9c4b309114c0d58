// libraries: uv
// A collection kept in boxes: adding a card reads the box from the database, appends the card and
// writes the box back. The database is a job of the worker pool each time.
//
// Wrong: nothing keeps a second request from reading the box in between.
// Shown when: both requests have read before the first has written.
// Failure: assert (a card is lost).
// From: porybox issue 157, ported by ConFuzz ("PB"); Sumit Padhiyar's thesis on property-based
// concurrency fuzzing.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <uv.h>

enum { kRequests = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stored;  // cards in the box, in the database

struct request {
  uv_work_t work;
  int box;
};
static struct request requests[kRequests];
static uv_timer_t arrivals[kRequests];  // they come some time apart
#ifdef FIXED
static bool busy;
static int held_back = -1;
#endif

static void load(uv_work_t* work) {
  pthread_mutex_lock(&lock);
  ((struct request*)work)->box = stored;
  pthread_mutex_unlock(&lock);
}

static void save(uv_work_t* work) {
  pthread_mutex_lock(&lock);
  stored = ((struct request*)work)->box;
  pthread_mutex_unlock(&lock);
}

static void add_card(int i);

static void saved(uv_work_t* work, int status) {
  (void)work;
  assert(status == 0);
#ifdef FIXED
  busy = false;
  if (held_back >= 0) add_card(held_back);
  held_back = -1;
#endif
}

static void loaded(uv_work_t* work, int status) {
  assert(status == 0);
  ((struct request*)work)->box++;
  uv_queue_work(uv_default_loop(), work, save, saved);
}

static void add_card(int i) {
#ifdef FIXED
  if (busy) {
    held_back = i;
    return;
  }
  busy = true;
#endif
  uv_queue_work(uv_default_loop(), &requests[i].work, load, loaded);
}

static void arrived(uv_timer_t* timer) {
  add_card((int)(timer - arrivals));
  uv_close((uv_handle_t*)timer, NULL);
}

int main(void) {
  for (int i = 0; i < kRequests; i++) {
    uv_timer_init(uv_default_loop(), &arrivals[i]);
    uv_timer_start(&arrivals[i], arrived, (uint64_t)(100 * i), 0);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  assert(stored == kRequests);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
