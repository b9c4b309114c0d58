// Two threads put the same socket into a fanout group; then it is closed.
//
// Wrong: whether the socket is in a group is looked at without a lock before it is added, so that
// it can be added twice. Closing takes it out once.
// Shown when: both look before either has added it.
// Failure: assert (a packet is delivered to a closed socket: the program marks what it has closed).
// From: CVE-2017-6346 (Linux, packet_fanout_add); "ConVul/CVE-2017-6346" of the reads-from fuzzer
// paper.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { kMembers = 4 };

struct fanout;

struct socket {
  bool open;
  struct fanout* fanout;
};

struct fanout {
  pthread_mutex_t lock;
  struct socket* members[kMembers];
  int member_count;
};

static struct fanout group = {PTHREAD_MUTEX_INITIALIZER, {NULL}, 0};
static struct socket packet_socket = {true, NULL};

static void* add_to_fanout(void* arg) {
  struct socket* socket = arg;
#ifndef FIXED
  if (socket->fanout != NULL) return NULL;
#endif
  pthread_mutex_lock(&group.lock);
#ifdef FIXED
  const bool is_new = socket->fanout == NULL;
#else
  const bool is_new = true;
#endif
  if (is_new) {
    group.members[group.member_count++] = socket;
    socket->fanout = &group;
  }
  pthread_mutex_unlock(&group.lock);
  return NULL;
}

static void close_socket(struct socket* socket) {
  pthread_mutex_lock(&group.lock);
  for (int i = 0; i < group.member_count; i++) {
    if (group.members[i] != socket) continue;
    group.members[i] = group.members[--group.member_count];
    break;
  }
  pthread_mutex_unlock(&group.lock);
  socket->open = false;
}

static void deliver_packet(void) {
  pthread_mutex_lock(&group.lock);
  for (int i = 0; i < group.member_count; i++) assert(group.members[i]->open);
  pthread_mutex_unlock(&group.lock);
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, add_to_fanout, &packet_socket);
  pthread_create(&two, NULL, add_to_fanout, &packet_socket);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  close_socket(&packet_socket);
  deliver_packet();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
