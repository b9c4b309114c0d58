// SPDX-License-Identifier: Apache-2.0
// A message goes into the pipe in two parts, and somebody else's comes in between.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static int wire[2];

static void* sends(void* name) {
  char body[8];
  memset(body, *(char*)name, sizeof body);
  const ssize_t head = write(wire[1], name, 1);
  const ssize_t rest = write(wire[1], body, sizeof body);
  assert(head == 1 && rest == sizeof body);
  return NULL;
}

int main(void) {
  pthread_t senders[2];
  if (pipe(wire)) return 2;
  for (int i = 0; i < 2; i++) pthread_create(&senders[i], NULL, sends, &"ab"[i]);
  for (int i = 0; i < 2; i++) {
    char name = 0, body[8] = "";
    ssize_t got = read(wire[0], &name, 1);
    assert(got == 1);
    for (size_t all = 0; all < sizeof body; all += (size_t)got) {
      got = read(wire[0], body + all, sizeof body - all);
      assert(got > 0);
    }
    assert(body[0] == name);
  }
  for (int i = 0; i < 2; i++) pthread_join(senders[i], NULL);
  return 0;
}
