// fails: never
// pipe_deadlock with the first to announce itself, in one step, as the first to speak.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int to_a[2], to_b[2];
static atomic_int announced;

static void* peer(void* arg) {
  const int me = *(int*)arg;
  const int in = me == 0 ? to_a[0] : to_b[0], out = me == 0 ? to_b[1] : to_a[1];
  char byte = 'h';
  if (atomic_exchange(&announced, 1)) {
    if (read(in, &byte, 1) != 1) return arg;
    if (write(out, &byte, 1) != 1) return arg;
  } else {
    if (write(out, &byte, 1) != 1) return arg;
    if (read(in, &byte, 1) != 1) return arg;
  }
  return NULL;
}

int main(void) {
  pthread_t t[2];
  int ids[2] = {0, 1};
  if (pipe(to_a) != 0 || pipe(to_b) != 0) return 2;
  for (int i = 0; i < 2; i++) {
    if (pthread_create(&t[i], NULL, peer, &ids[i]) != 0) return 2;
  }
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
