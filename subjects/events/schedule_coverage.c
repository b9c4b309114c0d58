// libraries: uv
// Rounds of three tasks each, that change a number in any order. A round whose result is right opens
// the next gate; after a wrong one the rest of the rounds goes the other way, and the gates stay
// shut.
//
// Wrong: the last gate must not be opened, and one order of all the tasks of all rounds opens it.
// Shown when: each of the 5 N + 10 rounds has its one right order: (3!)^(5 N + 10) schedules.
// Failure: assert.
// From: benchmark B2 (N = 1) and figure 4.8 (N = 1 … 5) of ConFuzz; Sumit Padhiyar's thesis on
// property-based concurrency fuzzing.
#include <assert.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#ifndef N
#define N 1
#endif
enum { kTasks = 3, kRounds = 5 * N + 10 };

static int sockets[kTasks][2];
static uv_poll_t polls[kTasks];
static long x;
static int round_number, done;
static bool on_the_way = true;

static void start_round(void);

// What a task does: another thing in every round, so that the right order is another one, too.
static const int roles[6][kTasks] = {{0, 1, 2}, {2, 0, 1}, {1, 0, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};

// Gives another result in every order.
static void apply(int task) {
  const int role = roles[round_number % 6][task];
  x = role == 0 ? x * 4 : role == 1 ? x - 2 : x * 3 + 70;
}

static void round_over(void) {
  const long right = (4 * 5 - 2) * 3 + 70;
#ifdef FIXED
  if (x != right || round_number == kRounds - 2) on_the_way = false;
#else
  if (x != right) on_the_way = false;
#endif
  round_number++;
  if (round_number < kRounds) start_round();
}

static void take(int task) {
  char byte;
  assert(read(sockets[task][0], &byte, 1) == 1);
  apply(task);
  if (++done == kTasks) round_over();
}

static void task_on_the_way(uv_poll_t* handle, int status, int events) {
  (void)status, (void)events;
  uv_poll_stop(handle);
  take((int)(handle - polls));
}

static void task_elsewhere(uv_poll_t* handle, int status, int events) {
  (void)status, (void)events;
  uv_poll_stop(handle);
  take((int)(handle - polls));
}

static void start_round(void) {
  x = 5;
  done = 0;
  for (int i = kTasks; i-- > 0;) {
    assert(write(sockets[i][1], "x", 1) == 1);
    uv_poll_start(&polls[i], UV_READABLE, on_the_way ? task_on_the_way : task_elsewhere);
  }
}

int main(void) {
  for (int i = 0; i < kTasks; i++) {
    assert(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets[i]) == 0);
    uv_poll_init(uv_default_loop(), &polls[i], sockets[i][0]);
  }
  start_round();
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  assert(round_number == kRounds);
  assert(!on_the_way);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
