// A queue between two threads that both keep count of what is in it.
//
// Wrong: nothing protects the count; an addition or a subtraction may be lost.
// Shown when: both threads change the count at once. What follows depends on which change was
// lost: an element is taken twice, or is written over before it was taken.
// Failure: assert.
// From: "Queue" of ThreadFuzzer, which the plain program shows in 98.7 % of its runs. `queue` is
// the same pattern with a lock and a much narrower bug.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { kPlaces = 4, kTries = 200 };

static pthread_barrier_t start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elements[kPlaces];
static int count;

static void add_to_count(int difference) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
  count += difference;
  pthread_mutex_unlock(&lock);
#else
  count += difference;
#endif
}

static int read_count(void) {
  pthread_mutex_lock(&lock);
  const int now = count;
  pthread_mutex_unlock(&lock);
  return now;
}

static void* produce(void* arg) {
  pthread_barrier_wait(&start);
  int next = 0;
  for (int i = 0; i < kTries; i++) {
    if (read_count() == kPlaces) continue;
    elements[next % kPlaces] = next;
    next++;
    add_to_count(1);
  }
  return arg;
}

static void* consume(void* arg) {
  pthread_barrier_wait(&start);
  int next = 0;
  for (int i = 0; i < kTries; i++) {
    if (read_count() == 0) continue;
    assert(elements[next % kPlaces] == next);
    next++;
    add_to_count(-1);
  }
  return arg;
}

int main(void) {
  pthread_t producer, consumer;
  pthread_barrier_init(&start, NULL, 2);
  pthread_create(&producer, NULL, produce, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  return 0;
}
