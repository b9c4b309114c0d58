// libraries: uv
// A store that watches directories. Who wants to hear of changes starts a watchdog for the
// directory, unless there is one; setting it up is slow and done in the worker pool.
//
// Wrong: whether there is a watchdog is asked before the set-up, and not again when that is done.
// Shown when: a second client asks for the same directory while the first one's set-up is under
// way. Then there are two, and every change is reported twice.
// Failure: assert.
// From: irmin issue 270, found by ConFuzz ("IR"); Sumit Padhiyar's thesis on property-based
// concurrency fuzzing.
#include <assert.h>
#include <uv.h>

enum { kClients = 2 };

static uv_loop_t* loop;
static uv_pipe_t requests[kClients], senders[kClients];
static uv_write_t sends[kClients];
static uv_work_t set_ups[kClients];
static uv_timer_t change;
static char buffer[16];
static int watchdogs, reports;

static void listen_on_directory(uv_work_t* work) { (void)work; }

static void listening(uv_work_t* work, int status) {
  (void)work;
  assert(status == 0);
#ifdef FIXED
  if (watchdogs > 0) return;
#endif
  watchdogs++;
}

static void start_watchdog(int client) {
  if (watchdogs > 0) return;
  uv_queue_work(loop, &set_ups[client], listen_on_directory, listening);
}

static void allocate(uv_handle_t* handle, size_t size, uv_buf_t* to) {
  (void)handle, (void)size;
  *to = uv_buf_init(buffer, sizeof buffer);
}

static void requested(uv_stream_t* stream, ssize_t size, const uv_buf_t* data) {
  (void)data;
  if (size > 0) start_watchdog((int)((uv_pipe_t*)stream - requests));
  if (size != 0) uv_close((uv_handle_t*)stream, NULL);
}

static void sent(uv_write_t* write, int status) {
  assert(status == 0);
  uv_close((uv_handle_t*)write->handle, NULL);
}

static void changed(uv_timer_t* timer) {
  for (int i = 0; i < watchdogs; i++) reports++;
  assert(reports <= 1);
  uv_close((uv_handle_t*)timer, NULL);
}

int main(void) {
  loop = uv_default_loop();
  for (int i = 0; i < kClients; i++) {
    uv_file ends[2];
    uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
    uv_pipe_init(loop, &requests[i], 0);
    uv_pipe_open(&requests[i], ends[0]);
    uv_read_start((uv_stream_t*)&requests[i], allocate, requested);
    uv_pipe_init(loop, &senders[i], 0);
    uv_pipe_open(&senders[i], ends[1]);
    uv_buf_t path = uv_buf_init("/data", 5);
    uv_write(&sends[i], (uv_stream_t*)&senders[i], &path, 1, sent);
  }
  uv_timer_init(loop, &change);
  uv_timer_start(&change, changed, 1000, 0);
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop);
}

// SPDX-License-Identifier: Apache-2.0
