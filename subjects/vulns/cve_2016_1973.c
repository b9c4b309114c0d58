// A shared instance that is created with its first user and destroyed with its last.
//
// Wrong: the last user counts itself out under the lock, but destroys the instance after giving the
// lock up, when a new user may already have been handed it.
// Shown when: a user gets the instance between the two.
// Failure: assert (a destroyed instance is used: the program marks what it has destroyed).
// From: CVE-2016-1973 (Firefox, WebRTC's GetStaticInstance); "ConVul/CVE-2016-1973" of the
// reads-from fuzzer paper.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct instance {
  bool alive;
  int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct instance storage;
static struct instance* instance;
static int users;

static struct instance* get_instance(void) {
  pthread_mutex_lock(&lock);
  users++;
  struct instance* result = instance;
  if (result == NULL) {
    result = &storage;
    result->alive = true;
    instance = result;
  }
  result->uses++;
  pthread_mutex_unlock(&lock);
  return result;
}

static void release_instance(struct instance* old) {
  pthread_mutex_lock(&lock);
  const bool last = --users == 0;
#ifdef FIXED
  if (last) {
    old->alive = false;
    instance = NULL;
  }
  pthread_mutex_unlock(&lock);
#else
  pthread_mutex_unlock(&lock);
  if (last) {
    old->alive = false;
    instance = NULL;
  }
#endif
}

static void* use_instance(void* arg) {
  struct instance* mine = get_instance();
  assert(mine->alive);
  release_instance(mine);
  return arg;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, use_instance, NULL);
  pthread_create(&two, NULL, use_instance, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
