// A program made of its arguments: the first is what main does, each further one what a thread
// does. An operation is a letter and the number of its object. For random programs
// (e2e/verify_random_test.cc).
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

static std::atomic<int> words[3];
static volatile int plain[3];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spinlock;
static sem_t semaphore;
static pthread_barrier_t barrier;
static int ends[2];  // of a pipe
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool exchange(std::atomic<int>& word, int expected, int wanted) {
  return word.compare_exchange_strong(expected, wanted);
}

static bool memory(char operation, int i) {
  switch (operation) {
    case 'r':
      words[i].load();
      return true;
    case 'w':
      words[i] = 5;
      return true;
    case 'v':
      words[i] = 1;
      return true;
    case 'a':
      ++words[i];
      return true;
    case 'c':
      exchange(words[i], 0, 1);
      return true;
    case 'd':
      if (exchange(words[i], 1, 2)) words[0] = 9;
      return true;
    case 'n':
      static_cast<void>(plain[i]);
      return true;
    case 'm':
      plain[i] = 3;
      return true;
  }
  return false;
}

static bool locks(char operation, int i) {
  switch (operation) {
    case 'L':
      pthread_mutex_lock(&mutexes[i]);
      return true;
    case 'U':
      pthread_mutex_unlock(&mutexes[i]);
      return true;
    case 'T':
      if (pthread_mutex_trylock(&mutexes[i]) != 0) return true;
      words[1].load();
      pthread_mutex_unlock(&mutexes[i]);
      return true;
    case 's':
      pthread_spin_lock(&spinlock);
      return true;
    case 'u':
      pthread_spin_unlock(&spinlock);
      return true;
    case 'R':
      pthread_rwlock_rdlock(&rwlock);
      return true;
    case 'W':
      pthread_rwlock_wrlock(&rwlock);
      return true;
    case 'E':
      pthread_rwlock_unlock(&rwlock);
      return true;
    case 'K':
      if (pthread_rwlock_tryrdlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock);
      return true;
    case 'J':
      if (pthread_rwlock_trywrlock(&rwlock) == 0) pthread_rwlock_unlock(&rwlock);
      return true;
  }
  return false;
}

static void wait_if(bool waits) {
  if (waits) pthread_cond_wait(&condition, &mutexes[0]);
}

static bool waiting(char operation, int i) {
  switch (operation) {
    case 'P':
      sem_post(&semaphore);
      return true;
    case 'Q':
      sem_wait(&semaphore);
      return true;
    case 'Y':
      if (sem_trywait(&semaphore) == 0) words[0].load();
      return true;
    case 'S':
      pthread_cond_signal(&condition);
      return true;
    case 'A':
      pthread_cond_broadcast(&condition);
      return true;
    case 'C':
    case 'D':
      pthread_mutex_lock(&mutexes[0]);
      wait_if(operation == 'C' || words[i] == 0);
      pthread_mutex_unlock(&mutexes[0]);
      return true;
    case 'B':
      pthread_barrier_wait(&barrier);
      return true;
    case 'X':
      if (write(ends[1], "", 1) != 1) abort();
      return true;
    case 'Z': {
      char byte;
      if (read(ends[0], &byte, 1) != 1) abort();
      return true;
    }
    case 'O':
      pthread_once(&once, [] { words[2] = 7; });
      return true;
  }
  return false;
}

static int read_locked(int i) {
  pthread_mutex_lock(&mutexes[0]);
  const int value = words[i];
  pthread_mutex_unlock(&mutexes[0]);
  return value;
}

// Far in the future: no clock has to be read for it.
static const timespec kLater = {2'000'000'000, 0};

static bool timed(char operation, int i) {
  switch (operation) {
    case 'p':
      usleep(1000 * (i + 1));
      return true;
    case 'o': {
      timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      return true;
    }
    case 'q':
      if (pthread_mutex_timedlock(&mutexes[i], &kLater) != 0) return true;
      words[1].load();
      pthread_mutex_unlock(&mutexes[i]);
      return true;
    case 'x': {
      pthread_mutex_lock(&mutexes[0]);
      const int code = pthread_cond_timedwait(&condition, &mutexes[0], &kLater);
      pthread_mutex_unlock(&mutexes[0]);
      if (code == 0) words[i] = 8;
      return true;
    }
    case 'z':
      if (sem_timedwait(&semaphore, &kLater) == 0) words[0].load();
      return true;
    case 'e':
      if (pthread_rwlock_timedrdlock(&rwlock, &kLater) == 0) pthread_rwlock_unlock(&rwlock);
      return true;
    case 'l':
      if (pthread_rwlock_timedwrlock(&rwlock, &kLater) == 0) pthread_rwlock_unlock(&rwlock);
      return true;
  }
  return false;
}

static void loops_and_futexes(char operation, int i) {
  switch (operation) {
    case 'i':
      while (words[i] == 0) {
      }
      break;
    case 'j':
      while (!exchange(words[i], 0, 1)) {
      }
      break;
    case 'k':
      while (read_locked(i) == 0) sched_yield();
      break;
    case 't':
      while (pthread_mutex_trylock(&mutexes[i]) != 0) {
      }
      break;
    case 'y':
      sched_yield();
      break;
    case 'f':
      words[i].wait(0);
      break;
    case 'g':
      words[i] = 1;
      words[i].notify_one();
      break;
    case 'h':
      words[i].notify_all();
      break;
  }
}

static void* perform(void* operations) {
  for (const char* at = static_cast<const char*>(operations); *at; at += 2) {
    const int i = at[1] - '0';
    if (memory(*at, i) || locks(*at, i) || waiting(*at, i) || timed(*at, i)) continue;
    loops_and_futexes(*at, i);
  }
  return nullptr;
}

int main(int argc, char** argv) {
  sem_init(&semaphore, 0, 0);
  pthread_barrier_init(&barrier, nullptr, 2);
  pthread_spin_init(&spinlock, 0);
  if (pipe(ends) != 0) return 1;
  pthread_t threads[8];
  for (int i = 2; i < argc && i < 10; ++i) {
    pthread_create(&threads[i - 2], nullptr, perform, argv[i]);
  }
  if (argc > 1) perform(argv[1]);
  for (int i = 2; i < argc && i < 10; ++i) pthread_join(threads[i - 2], nullptr);
}

// SPDX-License-Identifier: Apache-2.0
