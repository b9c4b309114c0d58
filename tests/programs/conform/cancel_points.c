// Each cancellation point: a thread blocked (or about to block) there is cancelled, its handler
// runs, join says PTHREAD_CANCELED. Loops, because a sleep may simply end first.
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "../check.h"

static sem_t ready, never;
static int empty[2], full[2], pair[2], listener, epoll_fd;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t sleeper;
static struct timespec hour = {3600, 0};

static struct timespec in_an_hour(clockid_t clock) {
  struct timespec t;
  CHECK_OK(clock_gettime(clock, &t));
  t.tv_sec += 3600;
  return t;
}

static void unlock(void* m) { CHECK_RC(pthread_mutex_unlock(m), 0); }
static void count(void* n) { ++*(int*)n; }

static void at_cond_wait(void) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) pthread_cond_wait(&cond, &mutex);
  pthread_cleanup_pop(0);
}
static void at_cond_timedwait(void) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) {
    struct timespec t = in_an_hour(CLOCK_REALTIME);
    pthread_cond_timedwait(&cond, &mutex, &t);
  }
  pthread_cleanup_pop(0);
}
static void at_cond_clockwait(void) {
  CHECK_RC(pthread_mutex_lock(&mutex), 0);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) {
    struct timespec t = in_an_hour(CLOCK_MONOTONIC);
    pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &t);
  }
  pthread_cleanup_pop(0);
}
static void at_join(void) { pthread_join(sleeper, NULL); }
static void at_timedjoin(void) {
  for (;;) {
    struct timespec t = in_an_hour(CLOCK_REALTIME);
    pthread_timedjoin_np(sleeper, NULL, &t);
  }
}
static void at_sem_wait(void) {
  for (;;) sem_wait(&never);
}
static void at_sem_timedwait(void) {
  for (;;) {
    struct timespec t = in_an_hour(CLOCK_REALTIME);
    sem_timedwait(&never, &t);
  }
}
static void at_sleep(void) {
  for (;;) sleep(3600);
}
static void at_usleep(void) {
  for (;;) usleep(900000);
}
static void at_nanosleep(void) {
  for (;;) nanosleep(&hour, NULL);
}
static void at_clock_nanosleep(void) {
  for (;;) clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL);
}
static void at_read(void) {
  char c;
  for (;;) CHECK_EQ(read(empty[0], &c, 1), 1);
}
static void at_readv(void) {
  char c;
  struct iovec v = {&c, 1};
  for (;;) CHECK_EQ(readv(empty[0], &v, 1), 1);
}
static void at_write(void) {
  char c = 0;
  for (;;) CHECK_EQ(write(full[1], &c, 1), 1);
}
static void at_recv(void) {
  char c;
  for (;;) CHECK_EQ(recv(pair[0], &c, 1, 0), 1);
}
static void at_accept(void) {
  for (;;) CHECK(accept(listener, NULL, NULL) >= 0);
}
static void at_poll(void) {
  struct pollfd p = {empty[0], POLLIN, 0};
  for (;;) poll(&p, 1, -1);
}
static void at_select(void) {
  for (;;) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(empty[0], &set);
    select(empty[0] + 1, &set, NULL, NULL, NULL);
  }
}
static void at_epoll_wait(void) {
  struct epoll_event e;
  for (;;) epoll_wait(epoll_fd, &e, 1, -1);
}
static void at_pause(void) {
  for (;;) pause();
}
static void at_testcancel(void) {
  for (;;) {
    pthread_testcancel();
    sched_yield();
  }
}

static void (*const points[])(void) = {
    at_cond_wait,       at_cond_timedwait, at_cond_clockwait, at_join,       at_timedjoin,
    at_sem_wait,        at_sem_timedwait,  at_sleep,          at_usleep,     at_nanosleep,
    at_clock_nanosleep, at_read,           at_readv,          at_write,      at_recv,
    at_accept,          at_poll,           at_select,         at_epoll_wait, at_pause,
    at_testcancel};

struct job {
  void (*point)(void);
  int cancel_self, cleaned;
};

static void* body(void* arg) {
  struct job* job = arg;
  pthread_cleanup_push(count, &job->cleaned);
  CHECK_OK(sem_post(&ready));
  if (job->cancel_self) CHECK_RC(pthread_cancel(pthread_self()), 0);
  job->point();
  CHECK(!"left the cancellation point");
  pthread_cleanup_pop(0);
  return NULL;
}

static void* wait_never(void* arg) {
  while (sem_wait(&never) != 0) CHECK_EQ(errno, EINTR);
  return arg;
}

int main(void) {
  CHECK_OK(sem_init(&ready, 0, 0));
  CHECK_OK(sem_init(&never, 0, 0));
  CHECK_OK(pipe(empty));
  CHECK_OK(pipe2(full, O_NONBLOCK));
  char block[4096] = {0};
  while (write(full[1], block, sizeof block) > 0) continue;
  while (write(full[1], block, 1) > 0) continue;
  CHECK_OK(fcntl(full[1], F_SETFL, 0));
  CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  CHECK_OK(bind(listener, (struct sockaddr*)&address, sizeof address));
  CHECK_OK(listen(listener, 4));
  epoll_fd = epoll_create1(0);
  struct epoll_event e = {.events = EPOLLIN, .data.fd = empty[0]};
  CHECK_OK(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, empty[0], &e));
  CHECK_RC(pthread_create(&sleeper, NULL, wait_never, NULL), 0);

  for (int i = 0; i < (int)(sizeof points / sizeof *points); i++) {
    for (int cancel_self = 0; cancel_self <= 1; cancel_self++) {
      struct job job = {points[i], cancel_self, 0};
      pthread_t t;
      void* result = NULL;
      CHECK_RC(pthread_create(&t, NULL, body, &job), 0);
      while (sem_wait(&ready) != 0) CHECK_EQ(errno, EINTR);
      if (!cancel_self) CHECK_RC(pthread_cancel(t), 0);
      CHECK_RC(pthread_join(t, &result), 0);
      CHECK(result == PTHREAD_CANCELED);
      CHECK_EQ(job.cleaned, 1);
    }
  }
  // What was waited for is still intact.
  CHECK_RC(pthread_mutex_trylock(&mutex), 0);
  CHECK_OK(sem_post(&never));
  CHECK_RC(pthread_join(sleeper, NULL), 0);
  return check_passed("cancel_points");
}

// SPDX-License-Identifier: Apache-2.0
