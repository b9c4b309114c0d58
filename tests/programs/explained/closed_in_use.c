// SPDX-License-Identifier: Apache-2.0
// Who closes a descriptor does not wait for who writes to it.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int log_to[2];

static void* writes(void* arg) {
  const ssize_t written = write(log_to[1], "started\n", 8);
  assert(written == 8);
  return arg;
}

static void* rotates(void* arg) {
  close(log_to[1]);
  return arg;
}

int main(void) {
  pthread_t writer, rotator;
  if (pipe(log_to)) return 2;
  pthread_create(&writer, NULL, writes, NULL);
  pthread_create(&rotator, NULL, rotates, NULL);
  pthread_join(writer, NULL);
  pthread_join(rotator, NULL);
  return 0;
}
