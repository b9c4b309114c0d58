// libraries: uv
// Three timers, two pipes, four jobs of the worker pool: prints the order of the callbacks. For
// determinism and for the speed of runs.
#include <stdio.h>
#include <uv.h>

#include "../check.h"

static uv_timer_t timers[3];
static uv_pipe_t readers[2], writers[2];
static uv_write_t writes[2];
static uv_work_t jobs[4];
static char buffer[64], order[32];
static int count;

static void note(char kind) { order[count++] = kind; }

static void on_timer(uv_timer_t* timer) {
  note((char)('a' + (timer - timers)));
  uv_close((uv_handle_t*)timer, NULL);
}
static void allocate(uv_handle_t* handle, size_t size, uv_buf_t* to) {
  (void)handle, (void)size;
  *to = uv_buf_init(buffer, sizeof buffer);
}
static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* data) {
  (void)data;
  if (size == 0) return;
  note((char)('p' + ((uv_pipe_t*)stream - readers)));
  uv_close((uv_handle_t*)stream, NULL);
}
static void on_written(uv_write_t* request, int status) {
  (void)status;
  uv_close((uv_handle_t*)request->handle, NULL);
}
static void work(uv_work_t* job) { (void)job; }
static void work_done(uv_work_t* job, int status) {
  (void)status;
  note((char)('0' + (job - jobs)));
}

int main(void) {
  uv_loop_t* loop = uv_default_loop();
  for (int i = 0; i < 3; i++) {
    uv_timer_init(loop, &timers[i]);
    uv_timer_start(&timers[i], on_timer, (uint64_t)(5 * (i + 1)), 0);
  }
  for (int i = 0; i < 2; i++) {
    uv_file ends[2];
    CHECK_EQ(uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE), 0);
    uv_pipe_init(loop, &readers[i], 0);
    uv_pipe_open(&readers[i], ends[0]);
    uv_read_start((uv_stream_t*)&readers[i], allocate, on_read);
    uv_pipe_init(loop, &writers[i], 0);
    uv_pipe_open(&writers[i], ends[1]);
    uv_buf_t byte = uv_buf_init("x", 1);
    uv_write(&writes[i], (uv_stream_t*)&writers[i], &byte, 1, on_written);
  }
  for (int i = 0; i < 4; i++) uv_queue_work(loop, &jobs[i], work, work_done);
  uv_run(loop, UV_RUN_DEFAULT);
  CHECK_EQ(count, 9);
  CHECK_EQ(uv_loop_close(loop), 0);
  puts(order);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
