// Talks to a TCP server outside of the process, whose port is the argument: asks it for a line per
// thread and adds up what it answers. What comes from outside nobody controls. With a second
// argument nobody listens there.
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static int port;
static int nobody_listens;

static void* ask(void* what) {
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  assert(s >= 0);
  const int connected = connect(s, (struct sockaddr*)&there, sizeof there);
  if (nobody_listens) {
    assert(connected == -1 && errno == ECONNREFUSED);
    close(s);
    return NULL;
  }
  assert(connected == 0);
  const char question = (char)(intptr_t)what;
  assert(send(s, &question, 1, 0) == 1);
  char answer;
  assert(recv(s, &answer, 1, 0) == 1);
  assert(answer == question + 1);
  close(s);
  pthread_mutex_lock(&lock);
  sum += answer;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(int argc, char** argv) {
  assert(argc == 2 || argc == 3);
  nobody_listens = argc == 3;
  port = atoi(argv[1]);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, ask, (void*)(intptr_t)('a' + i));
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(nobody_listens || sum == 'b' + 'c');
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
