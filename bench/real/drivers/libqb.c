// SPDX-License-Identifier: Apache-2.0
// libqb: two threads log, at a place that is known or new; a ring buffer between two threads.
#include <assert.h>
#include <pthread.h>
#include <qb/qblog.h>
#include <qb/qbrb.h>
#include <sched.h>
#include <string.h>

static int lines;
static void target(int32_t t, struct qb_log_callsite* place, struct timespec* when,
                   const char* text) {
  (void)t, (void)place, (void)when, (void)text;
  __atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED);
}
static void* say(void* who) {
  qb_log(LOG_INFO, "thread %s", (const char*)who);
  return 0;
}
static void logs(int place_is_known) {
  qb_log_init("driver", LOG_USER, LOG_EMERG);
  qb_log_ctl(QB_LOG_SYSLOG, QB_LOG_CONF_ENABLED, QB_FALSE);
  const int mine = qb_log_custom_open(target, 0, 0, 0);
  qb_log_filter_ctl(mine, QB_LOG_FILTER_ADD, QB_LOG_FILTER_FILE, "*", LOG_DEBUG);
  qb_log_ctl(mine, QB_LOG_CONF_ENABLED, QB_TRUE);
  if (place_is_known) say("zero");
  pthread_t a, b;
  pthread_create(&a, 0, say, "one");
  pthread_create(&b, 0, say, "two");
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(lines == (place_is_known ? 3 : 2));
  qb_log_fini();
}
static void* put(void* ring) {
  for (int i = 0; i < 3; i++) {
    while (qb_rb_chunk_write(ring, &i, sizeof i) < 0) sched_yield();
  }
  return 0;
}
static void ring(void) {
  qb_ringbuffer_t* ring = qb_rb_open("driver", 4096, QB_RB_FLAG_CREATE, 0);
  assert(ring);
  pthread_t writer;
  pthread_create(&writer, 0, put, ring);
  for (int i = 0, got = -1; i < 3; i++) {
    while (qb_rb_chunk_read(ring, &got, sizeof got, 1000) < 0) sched_yield();
    assert(got == i);
  }
  pthread_join(writer, 0);
  qb_rb_close(ring);
}
int main(int argc, char** argv) {
  (void)argc;
  if (!strcmp(argv[1], "ring"))
    ring();
  else
    logs(!strcmp(argv[1], "known"));
  return 0;
}
