// SPDX-License-Identifier: Apache-2.0
// A daemon with a thread per connection, two clients of the same process, and stop.
#include <arpa/inet.h>
#include <assert.h>
#include <microhttpd.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int port;

static enum MHD_Result answer(void* unused, struct MHD_Connection* connection, const char* url, const char* method,
                              const char* version, const char* data, size_t* size, void** state) {
  (void)unused, (void)url, (void)method, (void)version, (void)data, (void)size, (void)state;
  struct MHD_Response* response = MHD_create_response_from_buffer(5, "hello", MHD_RESPMEM_PERSISTENT);
  const enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

static void* client(void* unused) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  assert(connect(descriptor, (struct sockaddr*)&address, sizeof address) == 0);
  const char request[] = "GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
  assert(write(descriptor, request, sizeof request - 1) == sizeof request - 1);
  char text[1024];
  size_t size = 0;
  ssize_t more;
  while ((more = read(descriptor, text + size, sizeof text - 1 - size)) > 0) size += more;
  text[size] = 0;
  assert(strstr(text, "hello") != NULL);
  close(descriptor);
  return unused;
}

int main(int count, char** words) {
  const unsigned flags = count > 1 && strcmp(words[1], "pool") == 0
                             ? MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL
                             : MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
  struct MHD_Daemon* daemon =
      flags & MHD_USE_EPOLL
          ? MHD_start_daemon(flags, 0, NULL, NULL, answer, NULL, MHD_OPTION_THREAD_POOL_SIZE, 2u, MHD_OPTION_END)
          : MHD_start_daemon(flags, 0, NULL, NULL, answer, NULL, MHD_OPTION_END);
  assert(daemon != NULL);
  port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, client, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  MHD_stop_daemon(daemon);
}
