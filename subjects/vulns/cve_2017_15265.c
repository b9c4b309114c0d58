// A sequencer client creates a port while another thread deletes one by its number.
//
// Wrong: a new port is put into the client's list, where everybody can find it, and the lock is
// given up; after that the creator still fills in the port's name and properties, without a
// reference to it.
// Shown when: the other thread looks for the port (without the lock first, then again with it),
// takes it out of the list and frees it before the creator has finished.
// Failure: assert (a freed port is used: the program marks what it has freed).
// From: CVE-2017-15265 (Linux, ALSA, snd_seq_create_port); "ConVul/CVE-2017-15265" of the
// reads-from fuzzer paper.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { kPorts = 2, kNewPort = 1 };

enum state { kUnused, kLive, kFreed };

struct port {
  struct port* next;
  int number;
  enum state state;
  int capability;
  char name[16];
};

struct client {
  pthread_mutex_t lock;
  struct port* ports;  // sorted by number
  int port_count;
};

// Ports are not really given back to the heap, so that a use of a freed one is seen for certain.
static struct port storage[kPorts];
static int allocated;

static struct client client = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

static struct port* allocate_port(void) {
  struct port* port = &storage[allocated++];
  port->state = kLive;
  port->number = -1;
  return port;
}

static void free_port(struct port* port) {
  assert(port->state == kLive);
  port->state = kFreed;
}

static struct port** find_place(struct client* c, int number) {
  struct port** place = &c->ports;
  while (*place != NULL && (*place)->number < number) place = &(*place)->next;
  return place;
}

static void name_port(struct port* port, int number) {
  assert(port->state == kLive);
  snprintf(port->name, sizeof port->name, "port-%d", number);
}

static struct port* create_port(struct client* c, int number) {
  struct port* port = allocate_port();
#ifdef FIXED
  name_port(port, number);
#endif
  pthread_mutex_lock(&c->lock);
  struct port** place = find_place(c, number);
  port->number = number;
  port->next = *place;
  *place = port;
  c->port_count++;
  pthread_mutex_unlock(&c->lock);
#ifndef FIXED
  name_port(port, number);
#endif
  return port;
}

static bool delete_port(struct client* c, int number) {
  // Most requests are for ports that do not exist: spare the lock.
#ifndef FIXED
  struct port* candidate = *find_place(c, number);
  if (candidate == NULL || candidate->number != number) return false;
#endif
  pthread_mutex_lock(&c->lock);
  struct port** place = find_place(c, number);
  struct port* port = *place;
  const bool found = port != NULL && port->number == number;
  if (found) {
    *place = port->next;
    c->port_count--;
  }
  pthread_mutex_unlock(&c->lock);
  if (found) free_port(port);
  return found;
}

static void* create(void* arg) {
  create_port(&client, kNewPort);
  return arg;
}

static void* delete_it(void* arg) {
  delete_port(&client, kNewPort);
  return arg;
}

int main(void) {
  pthread_t creator, deleter;
  create_port(&client, 0);
  pthread_create(&creator, NULL, create, NULL);
  pthread_create(&deleter, NULL, delete_it, NULL);
  pthread_join(creator, NULL);
  pthread_join(deleter, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
