// SPDX-License-Identifier: Apache-2.0
// A server whose main was renamed (-Dmain=server_main) in a thread, and two clients that talk to it.
//   server_and_clients PORT REQUEST ANSWER [ARGUMENT OF THE SERVER…]
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int server_main(int count, char** words);
static int count_of_server, port;
static char** words_of_server;
static const char *request, *answer;

static void* server(void* unused) {
  server_main(count_of_server, words_of_server);
  return unused;
}

static int connection(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int tries = 0; tries < 100; ++tries) {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(descriptor, (struct sockaddr*)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    usleep(10000);
  }
  fprintf(stderr, "nobody listens\n");
  abort();
}

static void* client(void* unused) {
  const int descriptor = connection();
  assert(write(descriptor, request, strlen(request)) == (ssize_t)strlen(request));
  char text[4096] = "";
  size_t size = 0;
  while (strstr(text, answer) == NULL) {
    const ssize_t more = read(descriptor, text + size, sizeof text - 1 - size);
    if (more <= 0) fprintf(stderr, "instead of %s: %s\n", answer, text), abort();
    text[size += more] = 0;
  }
  close(descriptor);
  return unused;
}

int main(int count, char** words) {
  port = atoi(words[1]), request = words[2], answer = words[3];
  count_of_server = count - 3, words_of_server = words + 3;
  pthread_t server_thread, clients[2];
  pthread_create(&server_thread, NULL, server, NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&clients[i], NULL, client, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(clients[i], NULL);
  exit(0);
}
