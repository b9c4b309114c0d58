// libraries: uv
// What libuv documents about order, asserted: none of it may ever fail.
//
//  - idle callbacks come right before prepare callbacks, those before the loop waits, check callbacks
//    after it; timers in the order of their due times, those of one time as they were started;
//  - uv_close() calls back later, and after it nothing else of the handle calls back;
//  - what is written to a stream arrives in its order, and its write requests complete in theirs;
//  - a job's completion comes after the job, on the loop's thread; every job has one;
//  - uv_async_send() may be joined with others, but a callback comes after the last one;
//  - a timer never strikes early.
#include <string.h>
#include <uv.h>

#include "../check.h"

enum phase { kIdle, kPrepare, kPoll, kCheck };

enum { kTimers = 5, kJobs = 4, kWrites = 3, kRounds = 6 };

static uv_loop_t loop;
static uv_thread_t loop_thread;
static enum phase phase = kCheck;
static uv_idle_t idle;
static uv_prepare_t prepare;
static uv_check_t check;
static int rounds;

// ---- phases
static void on_idle(uv_idle_t* handle) {
  (void)handle;
  CHECK_EQ(phase, kCheck);
  phase = kIdle;
}
static void on_check(uv_check_t* handle);
static void on_prepare(uv_prepare_t* handle) {
  (void)handle;
  CHECK(phase == kIdle || phase == kCheck);
  phase = kPoll;
}
static void closed(uv_handle_t* handle) {
  CHECK(uv_is_closing(handle));
  handle->data = (void*)"closed";
}
static void on_check(uv_check_t* handle) {
  (void)handle;
  CHECK_EQ(phase, kPoll);
  phase = kCheck;
  if (++rounds == kRounds) uv_idle_stop(&idle);
  if (rounds == kRounds + 1) {
    uv_close((uv_handle_t*)&idle, closed);
    uv_close((uv_handle_t*)&prepare, closed);
    uv_close((uv_handle_t*)&check, closed);
    phase = kCheck;
    CHECK(idle.data == NULL);  // not yet
  }
}
// While the handles of the phases are there, callbacks of descriptors come between prepare and
// check.
static void in_poll_phase(void) {
  if (rounds <= kRounds) CHECK_EQ(phase, kPoll);
}

// ---- timers
static uv_timer_t timers[kTimers];
static const uint64_t due[kTimers] = {30, 10, 10, 20, 10};
static const int expected[kTimers] = {1, 2, 4, 3, 0};
static int fired;
static uint64_t start;

static void on_timer(uv_timer_t* timer) {
  const int i = (int)(timer - timers);
  CHECK_EQ(i, expected[fired]);
  CHECK(uv_now(&loop) - start >= due[i]);
  CHECK(phase != kPoll || rounds > kRounds);
  fired++;
  uv_close((uv_handle_t*)timer, closed);
}

// ---- jobs
static uv_work_t jobs[kJobs];
static int worked[kJobs], completed[kJobs];

static void work(uv_work_t* job) {
  uv_thread_t self = uv_thread_self();
  CHECK(!uv_thread_equal(&self, &loop_thread));
  worked[job - jobs]++;
}
static void work_done(uv_work_t* job, int status) {
  uv_thread_t self = uv_thread_self();
  CHECK(uv_thread_equal(&self, &loop_thread));
  CHECK_EQ(status, 0);
  CHECK_EQ(worked[job - jobs], 1);
  CHECK_EQ(++completed[job - jobs], 1);
  in_poll_phase();
}

// ---- a stream
static uv_pipe_t reader, writer;
static uv_write_t writes[kWrites];
static char text[] = "abcdefghi";
static char received[16];
static size_t received_size;
static int written;

static void allocate(uv_handle_t* handle, size_t size, uv_buf_t* to) {
  (void)handle, (void)size;
  *to = uv_buf_init(received + received_size, (unsigned)(sizeof received - received_size));
}
static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* data) {
  (void)data;
  CHECK(!uv_is_closing((uv_handle_t*)stream));
  in_poll_phase();
  if (size == UV_EOF) {
    CHECK_EQ(received_size, 9);
    CHECK(memcmp(received, text, 9) == 0);
    uv_close((uv_handle_t*)stream, closed);
    return;
  }
  CHECK(size >= 0);
  received_size += (size_t)size;
}
static void on_written(uv_write_t* request, int status) {
  CHECK_EQ(status, 0);
  CHECK_EQ(request - writes, written);
  if (++written == kWrites) uv_close((uv_handle_t*)&writer, closed);
}

// ---- wake-ups
static uv_async_t async;
static uv_thread_t sender;
static int sent, seen;
static uv_mutex_t lock;

static void send_often(void* arg) {
  for (int i = 0; i < 3; i++) {
    uv_mutex_lock(&lock);
    sent++;
    uv_mutex_unlock(&lock);
    uv_async_send(&async);
  }
  (void)arg;
}
static void on_async(uv_async_t* handle) {
  in_poll_phase();
  uv_mutex_lock(&lock);
  seen = sent;
  uv_mutex_unlock(&lock);
  if (seen == 3) {
    CHECK_EQ(uv_thread_join(&sender), 0);
    uv_close((uv_handle_t*)handle, closed);
  }
}

int main(void) {
  CHECK_EQ(uv_loop_init(&loop), 0);
  loop_thread = uv_thread_self();
  uv_mutex_init(&lock);
  uv_idle_init(&loop, &idle);
  uv_idle_start(&idle, on_idle);
  uv_prepare_init(&loop, &prepare);
  uv_prepare_start(&prepare, on_prepare);
  uv_check_init(&loop, &check);
  uv_check_start(&check, on_check);
  start = uv_now(&loop);
  for (int i = 0; i < kTimers; i++) {
    uv_timer_init(&loop, &timers[i]);
    uv_timer_start(&timers[i], on_timer, due[i], 0);
  }
  uv_file ends[2];
  CHECK_EQ(uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), 0);
  uv_pipe_init(&loop, &reader, 0);
  uv_pipe_open(&reader, ends[0]);
  uv_read_start((uv_stream_t*)&reader, allocate, on_read);
  uv_pipe_init(&loop, &writer, 0);
  uv_pipe_open(&writer, ends[1]);
  for (int i = 0; i < kWrites; i++) {
    uv_buf_t part = uv_buf_init(text + 3 * i, 3);
    CHECK_EQ(uv_write(&writes[i], (uv_stream_t*)&writer, &part, 1, on_written), 0);
  }
  uv_async_init(&loop, &async, on_async);
  CHECK_EQ(uv_thread_create(&sender, send_often, NULL), 0);
  for (int i = 0; i < kJobs; i++) CHECK_EQ(uv_queue_work(&loop, &jobs[i], work, work_done), 0);
  CHECK_EQ(uv_run(&loop, UV_RUN_DEFAULT), 0);
  CHECK_EQ(fired, kTimers);
  CHECK_EQ(written, kWrites);
  CHECK_EQ(seen, 3);
  for (int i = 0; i < kJobs; i++) CHECK_EQ(completed[i], 1);
  CHECK(strcmp((char*)reader.data, "closed") == 0 && strcmp((char*)async.data, "closed") == 0);
  CHECK_EQ(uv_loop_close(&loop), 0);
  return check_passed("uv_guarantees");
}

// SPDX-License-Identifier: Apache-2.0
