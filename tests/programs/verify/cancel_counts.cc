// Numbers of executions of programs that cancel threads: see counted.h.
#include <semaphore.h>
#include <unistd.h>

#include <atomic>

#include "counted.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static std::atomic<int> stored;

static void look(int times) {
  for (int i = 0; i < times; ++i) pthread_testcancel();
}

static void cancel_first() { pthread_cancel(counted_threads[0]); }

// One before each look, and one behind the last.
COUNTED(looks) {
  start<look>(n);
  cancel_first();
}

// It looks before it has stored, or behind that.
static void store_and_look(int) {
  stored = 1;
  pthread_testcancel();
  stored = 2;
}

static void cancel_when_stored() {
  if (stored == 1) pthread_cancel(counted_threads[0]);
}

COUNTED(cancelled_by_what_it_did) {
  start<store_and_look>();
  cancel_when_stored();
}

static void unlock(void*) { pthread_mutex_unlock(&mutex); }

static void wait_for_signal(int) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, nullptr);
  pthread_cond_wait(&condition, &mutex);
  stored = 1;
  pthread_cleanup_pop(1);
}

// Before it waits, or while it does.
COUNTED(waits) {
  start<wait_for_signal>();
  cancel_first();
}

static void signal_once(int) { pthread_cond_signal(&condition); }

// The signal may come before the wait and be lost, find it waiting, or cancelled.
COUNTED(waits_for_signal) {
  start<wait_for_signal>();
  start<signal_once>();
  cancel_first();
}

// Two wait, one is cancelled: the signal is for the other.
COUNTED(two_wait) {
  start<wait_for_signal>();
  start<wait_for_signal>();
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  cancel_first();
  pthread_cond_broadcast(&condition);
  pthread_cancel(counted_threads[1]);
}

static void take(int) { sem_wait(&semaphore); }

// Before its call, or in it.
COUNTED(takes) {
  start<take>();
  cancel_first();
}

static void sleep_long(int) { sleep(1); }

COUNTED(sleeps) {
  start<sleep_long>();
  cancel_first();
}

// Two cancel it: who comes first does not matter to it, but where it is then.
static void cancel_it(int) { pthread_cancel(counted_threads[0]); }

COUNTED(cancelled_twice) {
  start<look>(1);
  start<cancel_it>();
  cancel_first();
  pthread_join(counted_threads[--counted_thread_count], nullptr);
}

static void post(int) { sem_post(&semaphore); }

// It may have to be tried both ways whether it takes what it finds: not explored.
COUNTED(takes_or_not) {
  start<take>();
  start<post>();
  cancel_first();
}

static void write_nothing(int) {
  stored = 1;
  (void)!write(1, ".", 1);
}

// Whether a call looks before it begins is not explored where it does not look again.
COUNTED(writes) {
  start<write_nothing>();
  cancel_when_stored();
}

static void end_anywhere(int) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  stored = 1;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
}

COUNTED(cancelled_anywhere) {
  start<end_anywhere>();
  cancel_first();
  if (stored != 0) stored = 2;
}

static void join_first(int) { pthread_join(counted_threads[0], nullptr); }

// Cancelling a thread that somebody else has joined is a mistake; what comes of it is not explored.
COUNTED(joined_by_another) {
  start<look>(1);
  start<join_first>();
  cancel_first();
  pthread_join(counted_threads[1], nullptr);
  counted_thread_count = 0;
}

// SPDX-License-Identifier: Apache-2.0
