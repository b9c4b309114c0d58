// libraries: uv
// A logger that opens its file with the first message. Opening makes the file empty; opening and
// writing are jobs of the worker pool.
//
// Wrong: a message that comes while the file is being opened opens it once more, and what was
// written in between is gone.
// Shown when: the second message comes before the first opening is done, and the first message is
// written before the second opening.
// Failure: assert (a message is missing).
// From: node-logger-file issue 1, ported by ConFuzz ("CLF"); Sumit Padhiyar's thesis on
// property-based concurrency fuzzing.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <uv.h>

enum { kMessages = 2 };

// ---- the file
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file[2 * kMessages], file_size;

static void open_file(uv_work_t* work) {
  (void)work;
  pthread_mutex_lock(&lock);
  file_size = 0;
  pthread_mutex_unlock(&lock);
}

// ---- the logger
static bool is_open;
#ifdef FIXED
static bool opening;
#endif
static int waiting[kMessages], waiting_count;
static uv_work_t opens[kMessages];
struct message {
  uv_work_t work;
  int number;
};
static struct message messages[kMessages];
static int written;

static void write_message(uv_work_t* work) {
  pthread_mutex_lock(&lock);
  file[file_size++] = ((struct message*)work)->number;
  pthread_mutex_unlock(&lock);
}

static void message_written(uv_work_t* work, int status) {
  (void)work;
  assert(status == 0);
  written++;
}

static void write_waiting(void) {
  for (int i = 0; i < waiting_count; i++) {
    struct message* m = &messages[waiting[i]];
    m->number = waiting[i];
    uv_queue_work(uv_default_loop(), &m->work, write_message, message_written);
  }
  waiting_count = 0;
}

static void opened(uv_work_t* work, int status) {
  (void)work;
  assert(status == 0);
  is_open = true;
  write_waiting();
}

static void log_message(int i) {
  waiting[waiting_count++] = i;
  if (is_open) {
    write_waiting();
    return;
  }
#ifdef FIXED
  if (opening) return;
  opening = true;
#endif
  uv_queue_work(uv_default_loop(), &opens[i], open_file, opened);
}

static uv_timer_t later;

static void second_message(uv_timer_t* timer) {
  log_message(1);
  uv_close((uv_handle_t*)timer, NULL);
}

int main(void) {
  uv_timer_init(uv_default_loop(), &later);
  uv_timer_start(&later, second_message, 100, 0);
  log_message(0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  assert(written == kMessages);
  assert(file_size == kMessages);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
