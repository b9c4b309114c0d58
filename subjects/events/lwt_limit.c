// libraries: uv
// A stream of events, and one derived from it that lets at most one event through in ten
// milliseconds: what comes too early is kept (the last of it) until the time has passed.
//
// Wrong: when the time has passed the kept event is let through before the next period has begun.
// A subscriber that emits an event itself when it gets one is then not limited.
// Shown when: the request that is answered with another event arrives second, in the period that
// the first one began.
// Failure: assert.
// From: lwt issue 583, found by ConFuzz ("LWT"); Sumit Padhiyar's thesis on property-based
// concurrency fuzzing.
#include <assert.h>
#include <stdbool.h>
#include <uv.h>

enum { kPeriod = 10, kSources = 2 };

static uv_loop_t* loop;
static uv_timer_t period;
static uv_pipe_t sources[kSources], senders[kSources];
static uv_write_t sends[kSources];
static char buffer[1], kept;
static bool limiting;
static uint64_t last;  // when an event was let through

static void emit(char event);

static void period_over(uv_timer_t* timer);

static void begin_period(void) {
  limiting = true;
  uv_timer_start(&period, period_over, kPeriod, 0);
}

static void subscriber(char event) {
  assert(last == 0 || uv_now(loop) - last >= kPeriod);
  last = uv_now(loop);
  if (event == 'q') emit('a');  // a question is answered
}

static void emit(char event) {
  if (limiting) {
    kept = event;
    return;
  }
  begin_period();
  subscriber(event);
}

static void period_over(uv_timer_t* timer) {
  (void)timer;
  const char event = kept;
  kept = 0;
  limiting = false;
  if (!event) return;
#ifdef FIXED
  begin_period();
  subscriber(event);
#else
  subscriber(event);
  if (!limiting) begin_period();
#endif
}

static void allocate(uv_handle_t* handle, size_t size, uv_buf_t* to) {
  (void)handle, (void)size;
  *to = uv_buf_init(buffer, sizeof buffer);
}

static void arrived(uv_stream_t* stream, ssize_t size, const uv_buf_t* data) {
  if (size > 0) emit(data->base[0]);
  if (size != 0) uv_close((uv_handle_t*)stream, NULL);
}

static void sent(uv_write_t* write, int status) {
  assert(status == 0);
  uv_close((uv_handle_t*)write->handle, NULL);
}

int main(void) {
  static char events[kSources] = {'q', 'x'};
  loop = uv_default_loop();
  uv_timer_init(loop, &period);
  for (int i = 0; i < kSources; i++) {
    uv_file ends[2];
    uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE);
    uv_pipe_init(loop, &sources[i], 0);
    uv_pipe_open(&sources[i], ends[0]);
    uv_read_start((uv_stream_t*)&sources[i], allocate, arrived);
    uv_pipe_init(loop, &senders[i], 0);
    uv_pipe_open(&senders[i], ends[1]);
    uv_buf_t event = uv_buf_init(&events[i], 1);
    uv_write(&sends[i], (uv_stream_t*)&senders[i], &event, 1, sent);
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
