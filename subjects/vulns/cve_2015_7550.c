// A key is read while it is revoked.
//
// Wrong: read checks that the key is valid before it takes the key's semaphore; revoking takes the
// semaphore, and drops the payload.
// Shown when: the revocation comes between the check and the semaphore.
// Failure: crash (null pointer).
// From: CVE-2015-7550 (Linux, keyctl_read_key); "ConVul/CVE-2015-7550" of the reads-from fuzzer
// paper.
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct payload {
  size_t length;
  char data[16];
};

struct key {
  pthread_rwlock_t semaphore;
  bool revoked;
  struct payload* payload;
};

static struct key key = {PTHREAD_RWLOCK_INITIALIZER, false, NULL};

static void* read_key(void* arg) {
  char* copy = arg;
#ifndef FIXED
  if (key.revoked) return NULL;
#endif
  pthread_rwlock_rdlock(&key.semaphore);
#ifdef FIXED
  if (key.revoked) {
    pthread_rwlock_unlock(&key.semaphore);
    return NULL;
  }
#endif
  const size_t length = key.payload->length;
  memcpy(copy, key.payload->data, length);
  pthread_rwlock_unlock(&key.semaphore);
  return NULL;
}

static void* revoke_key(void* arg) {
  pthread_rwlock_wrlock(&key.semaphore);
  key.revoked = true;
  struct payload* payload = key.payload;
  key.payload = NULL;
  pthread_rwlock_unlock(&key.semaphore);
  free(payload);
  return arg;
}

int main(void) {
  pthread_t reader, revoker;
  char copy[16] = "";
  key.payload = malloc(sizeof *key.payload);
  if (key.payload == NULL) return 2;
  key.payload->length = 6;
  memcpy(key.payload->data, "secret", 6);
  pthread_create(&reader, NULL, read_key, copy);
  pthread_create(&revoker, NULL, revoke_key, NULL);
  pthread_join(reader, NULL);
  pthread_join(revoker, NULL);
  return copy[0] == '\0' || copy[0] == 's' ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
