// SPDX-License-Identifier: Apache-2.0
// A loop around poll: what the second client asks for, the first one has to have made.
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int pipes[2][2];
static int is_open;

static void on_login(void) { is_open = 1; }
static void on_request(void) { assert(is_open); }
static void (*const callbacks[2])(void) = {on_login, on_request};

static void* client(void* number) {
  const long i = (long)number;
  return write(pipes[i][1], "x", 1) == 1 ? NULL : number;
}

int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) {
    if (pipe(pipes[i]) != 0) return 1;
  }
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, client, (void*)i);
  for (int left = 2; left > 0;) {
    struct pollfd fds[2] = {{pipes[0][0], POLLIN, 0}, {pipes[1][0], POLLIN, 0}};
    poll(fds, 2, -1);
    for (int i = 0; i < 2; i++) {
      char byte;
      if ((fds[i].revents & POLLIN) == 0 || read(fds[i].fd, &byte, 1) != 1) continue;
      callbacks[i]();
      left--;
    }
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
