// Read-write locks of pthreads and of C++: readers come in any order, which counts once.
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "counted.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static std::shared_mutex mutex;
static std::shared_timed_mutex timed_mutex;
static int value;
static std::atomic<int> seen;

static void read_locked(int) {
  pthread_rwlock_rdlock(&lock);
  [[maybe_unused]] const volatile int read = value;
  pthread_rwlock_unlock(&lock);
}
static void write_locked(int) {
  pthread_rwlock_wrlock(&lock);
  ++value;
  pthread_rwlock_unlock(&lock);
}
static void try_to_read(int) {
  if (pthread_rwlock_tryrdlock(&lock) != 0) return;
  ++seen;
  pthread_rwlock_unlock(&lock);
}
static void try_to_write(int) {
  if (pthread_rwlock_trywrlock(&lock) != 0) return;
  ++value;
  pthread_rwlock_unlock(&lock);
}

COUNTED(rwlock_readers) { start_each<read_locked>(n); }
COUNTED(rwlock_reads_and_write) { start_each<read_locked>(n), start<write_locked>(); }
COUNTED(rwlock_writers) { start_each<write_locked>(n); }
COUNTED(rwlock_try) { start<try_to_read>(), start<try_to_write>(), start<read_locked>(); }
COUNTED(rwlock_try_writers) { start_each<try_to_write>(n); }

static void read_shared(int) {
  const std::shared_lock shared(mutex);
  [[maybe_unused]] const volatile int read = value;
}
static void write_alone(int) {
  const std::unique_lock alone(mutex);
  ++value;
}
static void try_shared(int) {
  const std::shared_lock shared(mutex, std::try_to_lock);
  if (shared) ++seen;
}

COUNTED(shared_readers) { start_each<read_shared>(n); }
COUNTED(shared_reads_and_write) { start_each<read_shared>(n), start<write_alone>(); }
COUNTED(shared_writers) { start_each<write_alone>(n); }
COUNTED(shared_try) { start<try_shared>(), start<write_alone>(), start<write_alone>(); }

static void read_timed(int) {
  const std::shared_lock shared(timed_mutex);
  [[maybe_unused]] const volatile int read = value;
}
static void write_timed(int) {
  const std::unique_lock alone(timed_mutex);
  ++value;
}
COUNTED(shared_timed) { start_each<read_timed>(n), start<write_timed>(); }

// SPDX-License-Identifier: Apache-2.0
