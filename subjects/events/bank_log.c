// libraries: uv
// Accounts with a log of what was done to them. A transaction reads the balance, computes, and
// writes balance and log entry: each a job of the worker pool.
//
// Wrong: transactions on the same account are not kept apart, so that one may compute with a
// balance that is no longer true, and the log does not lead to the balance any more.
// Shown when: a transaction reads between the other's read and its write.
// Failure: assert.
// From: the bank of the VeriFIT repository of concurrency bugs, "B1" of ConFuzz; Sumit Padhiyar's
// thesis on property-based concurrency fuzzing.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <uv.h>

enum { kTransactions = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;
static int entries[kTransactions], entry_count;

struct transaction {
  uv_timer_t due;
  uv_work_t work;
  int amount, seen;
};
static struct transaction transactions[kTransactions];
#ifdef FIXED
static bool busy;
static struct transaction* next[kTransactions];
static int next_count;
#endif

static void read_balance(uv_work_t* work) {
  struct transaction* t = work->data;
  pthread_mutex_lock(&lock);
  t->seen = balance;
  pthread_mutex_unlock(&lock);
}

static void store(uv_work_t* work) {
  struct transaction* t = work->data;
  pthread_mutex_lock(&lock);
  balance = t->seen + t->amount;
  entries[entry_count++] = t->amount;
  pthread_mutex_unlock(&lock);
}

static void begin(struct transaction* t);

static void stored(uv_work_t* work, int status) {
  (void)work;
  assert(status == 0);
#ifdef FIXED
  busy = false;
  if (next_count > 0) begin(next[--next_count]);
#endif
}

static void balance_read(uv_work_t* work, int status) {
  assert(status == 0);
  uv_queue_work(uv_default_loop(), work, store, stored);
}

static void begin(struct transaction* t) {
#ifdef FIXED
  if (busy) {
    next[next_count++] = t;
    return;
  }
  busy = true;
#endif
  uv_queue_work(uv_default_loop(), &t->work, read_balance, balance_read);
}

static void is_due(uv_timer_t* timer) {
  begin((struct transaction*)timer);
  uv_close((uv_handle_t*)timer, NULL);
}

int main(void) {
  for (int i = 0; i < kTransactions; i++) {
    struct transaction* t = &transactions[i];
    t->amount = 10 * (i + 1);
    t->work.data = t;
    uv_timer_init(uv_default_loop(), &t->due);
    uv_timer_start(&t->due, is_due, (uint64_t)(100 * i), 0);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  int expected = 100;
  for (int i = 0; i < entry_count; i++) expected += entries[i];
  assert(balance == expected);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
