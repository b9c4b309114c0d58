// libraries: event_core
// A blog's server: who signs up first becomes its owner. Requests come in on sockets; the database
// answers queries one after the other on a socket of its own.
//
// Wrong: that there is no owner yet is asked in one query, the owner is stored in another.
// Shown when: both requests are read before the first one's second query is answered.
// Failure: assert (two owners).
// From: ghost issue 1834, ported by ConFuzz ("GHO"); Sumit Padhiyar's thesis on property-based
// concurrency fuzzing. Here on libevent.
#include <assert.h>
#include <event2/event.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kRequests = 2 };

struct request {
  int socket;    // from the browser
  int query[2];  // ours, the database's
  struct event *readable, *asked, *answered;
};
static struct request requests[kRequests];
static struct event_base* base;
static int owners;

static void database(evutil_socket_t fd, short what, void* arg) {
  (void)what, (void)arg;
  char query;
  if (read(fd, &query, 1) != 1) return;
  char answer = 'd';
  switch (query) {
    case '?':  // is there an owner?
      answer = owners ? 'y' : 'n';
      break;
    case '+':  // store one
      owners++;
      break;
    case '!':  // store one unless there is one
      if (!owners) owners++;
      break;
  }
  assert(write(fd, &answer, 1) == 1);
}

static void answered(evutil_socket_t fd, short what, void* arg) {
  (void)what, (void)arg;
  char answer;
  if (read(fd, &answer, 1) != 1) return;
  if (answer == 'n') assert(write(fd, "+", 1) == 1);
  assert(owners <= 1);
}

static void sign_up(evutil_socket_t fd, short what, void* arg) {
  (void)what;
  struct request* r = arg;
  char byte;
  if (read(fd, &byte, 1) != 1) return;
#ifdef FIXED
  assert(write(r->query[0], "!", 1) == 1);
#else
  assert(write(r->query[0], "?", 1) == 1);
#endif
}

static void arrive(evutil_socket_t fd, short what, void* arg) {
  (void)fd, (void)what;
  assert(write(*(int*)arg, "s", 1) == 1);
}

static struct event* on_readable(int fd, event_callback_fn callback, void* arg) {
  evutil_make_socket_nonblocking(fd);
  struct event* event = event_new(base, fd, EV_READ | EV_PERSIST, callback, arg);
  event_add(event, NULL);
  return event;
}

int main(void) {
  base = event_base_new();
  int browsers[kRequests];
  for (int i = 0; i < kRequests; i++) {
    struct request* r = &requests[i];
    int ends[2];
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, r->query) == 0);
    browsers[i] = ends[0];
    r->socket = ends[1];
    r->readable = on_readable(r->socket, sign_up, r);
    r->asked = on_readable(r->query[1], database, NULL);
    r->answered = on_readable(r->query[0], answered, r);
  }
  // The second signs up when the first is through, or a little earlier.
  for (int i = 0; i < kRequests; i++) {
    struct timeval when = {.tv_sec = 0, .tv_usec = 100000 * i};
    event_base_once(base, -1, EV_TIMEOUT, arrive, &browsers[i], &when);
  }
  struct timeval second = {.tv_sec = 1, .tv_usec = 0};
  event_base_loopexit(base, &second);
  event_base_dispatch(base);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
