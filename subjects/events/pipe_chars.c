// libraries: uv
// A sender writes three characters into a pipe; three receivers take one each, convert it to upper
// case in the worker pool, and put it in front of a list.
//
// Wrong: the list must not be B, U, G; but the receivers finish in any order.
// Shown when: the characters are b, u and g in some order, and the receivers finish in the one order
// that makes them spell it.
// Failure: assert.
// From: figure 4.2 of Sumit Padhiyar's thesis on property-based concurrency fuzzing (ConFuzz). The
// characters are drawn; without Jostle they are arguments.
#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

// Draws the input; not there when the program runs by itself.
unsigned jostle_choose(unsigned alternatives) __attribute__((weak));

enum { kChars = 3 };

struct receiver {
  uv_poll_t poll;
  uv_work_t work;
  char taken;
};
static struct receiver receivers[kChars];
static int ends[2];
static char list[kChars + 1];
static int list_size;

static void convert(uv_work_t* work) {
  struct receiver* r = work->data;
  r->taken = (char)toupper((unsigned char)r->taken);
}

static void converted(uv_work_t* work, int status) {
  struct receiver* r = work->data;
  assert(status == 0);
  memmove(list + 1, list, (size_t)list_size);
  list[0] = r->taken;
  list_size++;
}

static void receive(uv_poll_t* poll, int status, int events) {
  (void)status, (void)events;
  struct receiver* r = poll->data;
  if (read(ends[0], &r->taken, 1) != 1) return;
  uv_poll_stop(poll);
  uv_queue_work(uv_default_loop(), &r->work, convert, converted);
}

int main(int argc, char** argv) {
  assert(uv_pipe(ends, UV_NONBLOCK_PIPE, UV_NONBLOCK_PIPE) == 0);
  for (int i = 0; i < kChars; i++) {
    struct receiver* r = &receivers[i];
    r->poll.data = r->work.data = r;
    uv_poll_init(uv_default_loop(), &r->poll, dup(ends[0]));
    r->poll.data = r;
    uv_poll_start(&r->poll, UV_READABLE, receive);
  }
  for (int i = 0; i < kChars; i++) {
    char c = argc > i + 1 ? argv[i + 1][0] : 'a';
    if (argc == 1 && jostle_choose) c = (char)('a' + jostle_choose(26));
    assert(write(ends[1], &c, 1) == 1);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
#ifdef FIXED
  if (strcmp(list, "BUG") == 0) list[0] = 'b';
#endif
  assert(strcmp(list, "BUG") != 0);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
