// libraries: uv
// Making a directory with all that leads to it, as `mkdir -p`: try the last; if its parent is
// missing make that first, and try again. The file system is a table here, every call to it a job of
// the worker pool.
//
// Wrong: when the second try finds that the directory exists by now, that is passed on as an error.
// Shown when: two requests for the same path are both at the parent before either makes the last.
// Failure: assert.
// From: node-mkdirp issue 2, ported by ConFuzz ("NKD"); Sumit Padhiyar's thesis on property-based
// concurrency fuzzing.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <uv.h>

enum { kRequests = 2, kMostEntries = 16, kOk = 0, kMissing = -1, kExists = -2 };

// ---- the file system
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char* entries[kMostEntries];
static int entry_count;

static bool exists(const char* path) {
  for (int i = 0; i < entry_count; i++) {
    if (strcmp(entries[i], path) == 0) return true;
  }
  return false;
}

static int make_directory(const char* path, const char* parent) {
  pthread_mutex_lock(&lock);
  const int result = exists(path)                ? kExists
                     : parent && !exists(parent) ? kMissing
                                                 : kOk;
  if (result == kOk) entries[entry_count++] = path;
  pthread_mutex_unlock(&lock);
  return result;
}

// ---- mkdirp
static const char* const paths[] = {"a", "a/b", "a/b/c"};

struct request {
  uv_work_t work;
  int depth, deepest;  // what is being made, and what is wanted
  int result;
};
static struct request requests[kRequests];

static void try_to_make(uv_work_t* work) {
  struct request* r = (struct request*)work;
  r->result = make_directory(paths[r->depth], r->depth ? paths[r->depth - 1] : NULL);
}

static void tried(uv_work_t* work, int status) {
  struct request* r = (struct request*)work;
  assert(status == 0);
  if (r->result == kMissing) {
    r->depth--;
  } else {
#ifdef FIXED
    assert(r->result == kOk || r->result == kExists);
#else
    // A parent that somebody else was faster to make is what was wanted.
    assert(r->result == kOk || r->depth < r->deepest);
#endif
    if (r->depth == r->deepest) return;
    r->depth++;
  }
  uv_queue_work(uv_default_loop(), work, try_to_make, tried);
}

int main(void) {
  for (int i = 0; i < kRequests; i++) {
    requests[i].deepest = requests[i].depth = 2 - i;  // "a/b/c" and "a/b"
    uv_queue_work(uv_default_loop(), &requests[i].work, try_to_make, tried);
  }
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
