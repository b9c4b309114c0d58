// SPDX-License-Identifier: Apache-2.0
// A subscriber connects to a name in the process and goes away again, while a publisher binds that name.
#include <assert.h>
#include <pthread.h>
#include <zmq.h>

static void* context;

static void* connects(void* unused) {
  void* socket = zmq_socket(context, ZMQ_SUB);
  assert(socket && zmq_connect(socket, "inproc://here") == 0);
  assert(zmq_close(socket) == 0);
  return unused;
}

static void* binds(void* unused) {
  void* socket = zmq_socket(context, ZMQ_PUB);
  assert(socket && zmq_bind(socket, "inproc://here") == 0);
  assert(zmq_close(socket) == 0);
  return unused;
}

int main(void) {
  context = zmq_ctx_new();
  zmq_ctx_set(context, ZMQ_IO_THREADS, 0);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, connects, NULL);
  pthread_create(&threads[1], NULL, binds, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  zmq_ctx_term(context);
}
