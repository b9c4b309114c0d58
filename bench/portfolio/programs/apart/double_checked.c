// SPDX-License-Identifier: Apache-2.0
// Double-checked initialisation that publishes the pointer before the object is complete; five users, of which the last does not look at
// the fields at once.
#include <assert.h>
#include <pthread.h>

enum { USERS = 5 };
struct settings {
  int size, limit;
};
static struct settings storage;
static struct settings* volatile settings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int uses;

static struct settings* get(void) {
  if (!settings) {
    pthread_mutex_lock(&lock);
    if (!settings) {
      storage.size = 8;
      settings = &storage;
      storage.limit = 64;
    }
    pthread_mutex_unlock(&lock);
  }
  return settings;
}
static void* use(void* unused) {
  struct settings* mine = get();
  pthread_mutex_lock(&lock);
  ++uses;
  pthread_mutex_unlock(&lock);
  assert(mine->limit == 64);
  return unused;
}
static void* use_at_once(void* unused) {
  assert(get()->limit == 64);
  return unused;
}

int main(void) {
  pthread_t threads[USERS];
  for (int i = 0; i < USERS; ++i) pthread_create(&threads[i], 0, i == 1 ? use_at_once : use, 0);
  for (int i = 0; i < USERS; ++i) pthread_join(threads[i], 0);
}
