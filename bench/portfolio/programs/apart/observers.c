// SPDX-License-Identifier: Apache-2.0
// A list of observers, copied under the lock and called outside of it. One that has unregistered and put away its data is called all the same.
// Many threads notify, few of them while the one that matters is registered.
#include <assert.h>
#include <pthread.h>

enum { OBSERVERS = 3, NOTIFIERS = 6 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int registered[OBSERVERS];
static int data[OBSERVERS] = {1, 1, 1};
static int calls;

static void* notify(void* unused) {
  int list[OBSERVERS];
  pthread_mutex_lock(&lock);
  for (int i = 0; i < OBSERVERS; ++i) list[i] = registered[i];
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < OBSERVERS; ++i) {
    if (!list[i]) continue;
    assert(data[i] == 1);
    pthread_mutex_lock(&lock);
    ++calls;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}
static void* come_and_go(void* unused) {
  pthread_mutex_lock(&lock);
  registered[2] = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  registered[2] = 0;
  pthread_mutex_unlock(&lock);
  data[2] = 0;
  return unused;
}

int main(void) {
  pthread_t threads[NOTIFIERS + 1];
  registered[0] = 1;
  for (int i = 0; i < NOTIFIERS; ++i) pthread_create(&threads[i], 0, notify, 0);
  pthread_create(&threads[NOTIFIERS], 0, come_and_go, 0);
  for (int i = 0; i <= NOTIFIERS; ++i) pthread_join(threads[i], 0);
}
