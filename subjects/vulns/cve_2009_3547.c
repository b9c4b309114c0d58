// A pipe is opened through /proc/PID/fd while its last end is closed.
//
// Wrong: open follows the inode's pointer to the pipe without the lock under which close frees the
// pipe and clears the pointer.
// Shown when: the close comes between open's two looks at the pointer.
// Failure: crash (null pointer).
// From: CVE-2009-3547 (Linux, pipe_rdwr_open); "ConVul/CVE-2009-3547" of the reads-from fuzzer
// paper.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct pipe {
  int readers, writers;
};

struct inode {
  pthread_mutex_t lock;
  struct pipe* pipe;
};

static struct inode inode = {PTHREAD_MUTEX_INITIALIZER, NULL};

static void* open_pipe(void* arg) {
#ifdef FIXED
  pthread_mutex_lock(&inode.lock);
  if (inode.pipe != NULL) inode.pipe->readers++;
  pthread_mutex_unlock(&inode.lock);
#else
  if (inode.pipe == NULL) return arg;  // no such pipe any more
  pthread_mutex_lock(&inode.lock);
  inode.pipe->readers++;
  pthread_mutex_unlock(&inode.lock);
#endif
  return arg;
}

static void* close_pipe(void* arg) {
  pthread_mutex_lock(&inode.lock);
  struct pipe* pipe = inode.pipe;
  pipe->readers--;
  pipe->writers--;
  if (pipe->readers <= 0 && pipe->writers <= 0) {
    inode.pipe = NULL;
    free(pipe);
  }
  pthread_mutex_unlock(&inode.lock);
  return arg;
}

int main(void) {
  pthread_t opener, closer;
  inode.pipe = malloc(sizeof *inode.pipe);
  if (inode.pipe == NULL) return 2;
  inode.pipe->readers = inode.pipe->writers = 1;
  pthread_create(&opener, NULL, open_pipe, NULL);
  pthread_create(&closer, NULL, close_pipe, NULL);
  pthread_join(opener, NULL);
  pthread_join(closer, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
