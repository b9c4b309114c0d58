// libraries: uv
// Looking up the hardware address of a host: the question is sent by the worker pool, the answer
// comes in on a socket and wakes who waits for it.
//
// Wrong: the query begins to wait when it knows that its question was sent; an answer that is
// faster wakes nobody.
// Shown when: the answer is read before the pool's completion is handled.
// Failure: assert (somebody waits for an address that is known).
// From: mirage-tcpip pull request 86, found by ConFuzz ("TCP"); Sumit Padhiyar's thesis on
// property-based concurrency fuzzing.
#include <assert.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

enum { kUnknown, kAsked, kKnown };

static uv_loop_t* loop;
static int wire[2];  // ours, the neighbour's
static uv_poll_t ours, neighbour;
static uv_work_t probe;
static int cache = kUnknown;
static bool waiting, answered;

static void begin_to_wait(void) { waiting = true; }

static void wake(void) {
  if (!waiting) return;
  waiting = false;
  answered = true;
}

static void send_probe(uv_work_t* work) {
  (void)work;
  assert(write(wire[0], "?", 1) == 1);
}

static void probe_sent(uv_work_t* work, int status) {
  (void)work;
  assert(status == 0);
#ifndef FIXED
  begin_to_wait();
#endif
}

static void query(void) {
  if (cache == kKnown) return;
  cache = kAsked;
#ifdef FIXED
  begin_to_wait();
#endif
  uv_queue_work(loop, &probe, send_probe, probe_sent);
}

static void answer(uv_poll_t* handle, int status, int events) {
  (void)status, (void)events;
  char byte;
  assert(read(wire[1], &byte, 1) == 1 && byte == '?');
  assert(write(wire[1], "!", 1) == 1);
  uv_poll_stop(handle);
}

static void answer_arrived(uv_poll_t* handle, int status, int events) {
  (void)status, (void)events;
  char byte;
  assert(read(wire[0], &byte, 1) == 1 && byte == '!');
  cache = kKnown;
  wake();
  uv_poll_stop(handle);
}

int main(void) {
  loop = uv_default_loop();
  assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, wire) == 0);
  uv_poll_init(loop, &ours, wire[0]);
  uv_poll_start(&ours, UV_READABLE, answer_arrived);
  uv_poll_init(loop, &neighbour, wire[1]);
  uv_poll_start(&neighbour, UV_READABLE, answer);
  query();
  uv_run(loop, UV_RUN_DEFAULT);
  assert(!(waiting && cache == kKnown));
  assert(answered);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
