// Data published by locks, conditions, semaphores, threads: with and without a race.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>

#include "scenario.h"

static long data;
static bool ready;
static std::mutex mutex;
static std::condition_variable condition;

SCENARIO(no_lock, racy) {
  together([] { data += 1; }, [] { data += 2; });
}
SCENARIO(mutex_both, clean) {
  const auto add = [] {
    std::lock_guard lock(mutex);
    data += 1;
  };
  together(add, add, add);
}
SCENARIO(mutex_one_side, racy) {
  together(
      [] {
        std::lock_guard lock(mutex);
        data += 1;
      },
      [] { data += 2; });
}
SCENARIO(two_mutexes, racy) {
  static std::mutex other;
  together(
      [] {
        std::lock_guard lock(mutex);
        data += 1;
      },
      [] {
        std::lock_guard lock(other);
        data += 2;
      });
}
SCENARIO(read_outside_lock, racy) {
  together(
      [] {
        std::lock_guard lock(mutex);
        data += 1;
      },
      [] { sink = data; });
}
SCENARIO(readers_only, clean) {
  data = 5;
  together([] { sink = data; }, [] { sink = data; });
}
SCENARIO(try_lock, clean) {
  const auto add = [] {
    if (!mutex.try_lock()) return;
    data += 1;
    mutex.unlock();
  };
  together(add, add);
}
SCENARIO(try_lock_ignored, racy) {
  const auto add = [] {
    const bool mine = mutex.try_lock();
    data += 1;
    if (mine) mutex.unlock();
  };
  together(add, add);
}
SCENARIO(timed_mutex, clean) {
  static std::timed_mutex timed;
  const auto add = [] {
    if (!timed.try_lock_for(std::chrono::milliseconds(5))) return;
    data += 1;
    timed.unlock();
  };
  together(add, add);
}
SCENARIO(recursive_mutex, clean) {
  static std::recursive_mutex recursive;
  const auto add = [] {
    recursive.lock();
    recursive.lock();
    data += 1;
    recursive.unlock();
    data += 1;
    recursive.unlock();
  };
  together(add, add);
}
SCENARIO(condition_right, clean) {
  together(
      [] {
        data = 1;
        {
          std::lock_guard lock(mutex);
          ready = true;
        }
        condition.notify_one();
      },
      [] {
        std::unique_lock lock(mutex);
        condition.wait(lock, [] { return ready; });
        sink = data;
      });
}
SCENARIO(condition_flag_unlocked, racy) {
  together(
      [] {
        ready = true;
        condition.notify_one();
      },
      [] {
        std::unique_lock lock(mutex);
        condition.wait_for(lock, std::chrono::milliseconds(5), [] { return ready; });
      });
}
SCENARIO(signal_is_no_edge, racy) {
  // The data is written after the lock was released: a signal alone orders nothing.
  together(
      [] {
        {
          std::lock_guard lock(mutex);
          ready = true;
        }
        data = 1;
        condition.notify_one();
      },
      [] {
        std::unique_lock lock(mutex);
        condition.wait(lock, [] { return ready; });
        sink = data;
      });
}
SCENARIO(condition_any, clean) {
  static std::condition_variable_any any;
  static std::shared_mutex shared;
  together(
      [] {
        std::lock_guard lock(shared);
        data = 1;
        ready = true;
        any.notify_all();
      },
      [] {
        std::shared_lock lock(shared);
        any.wait(lock, [] { return ready; });
        sink = data;
      });
}
SCENARIO(shared_mutex_right, clean) {
  static std::shared_mutex shared;
  const auto read = [] {
    std::shared_lock lock(shared);
    sink = data;
  };
  together(read, read, [] {
    std::lock_guard lock(shared);
    data += 1;
  });
}
SCENARIO(shared_mutex_write_as_reader, racy) {
  static std::shared_mutex shared;
  const auto add = [] {
    std::shared_lock lock(shared);
    data += 1;
  };
  together(add, add);
}
SCENARIO(rwlock_right, clean) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  together(
      [] {
        pthread_rwlock_wrlock(&lock);
        data += 1;
        pthread_rwlock_unlock(&lock);
      },
      [] {
        pthread_rwlock_rdlock(&lock);
        sink = data;
        pthread_rwlock_unlock(&lock);
      },
      [] {
        if (pthread_rwlock_trywrlock(&lock)) return;
        data += 1;
        pthread_rwlock_unlock(&lock);
      });
}
SCENARIO(rwlock_readers_do_not_order, racy) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  static long other;
  const auto add = [] {
    pthread_rwlock_rdlock(&lock);
    other += 1;
    pthread_rwlock_unlock(&lock);
  };
  together(add, add);
}
SCENARIO(spin_right, clean) {
  static pthread_spinlock_t spin;
  pthread_spin_init(&spin, 0);
  const auto add = [] {
    pthread_spin_lock(&spin);
    data += 1;
    pthread_spin_unlock(&spin);
  };
  together(add, add);
}
SCENARIO(pthread_barrier_right, clean) {
  static pthread_barrier_t barrier;
  static long parts[2];
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto round = [](int me) {
    for (int i = 0; i < 3; ++i) {
      parts[me] = i;
      pthread_barrier_wait(&barrier);
      sink = parts[1 - me];
      pthread_barrier_wait(&barrier);
    }
  };
  together([=] { round(0); }, [=] { round(1); });
  pthread_barrier_destroy(&barrier);
}
SCENARIO(pthread_barrier_once_too_few, racy) {
  static pthread_barrier_t barrier;
  static long parts[2];
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto round = [](int me) {
    for (int i = 0; i < 3; ++i) {
      parts[me] = i;
      pthread_barrier_wait(&barrier);
      sink = parts[1 - me];
    }
  };
  together([=] { round(0); }, [=] { round(1); });
}
SCENARIO(std_barrier, clean) {
  static std::barrier barrier(2);
  static long parts[2];
  const auto round = [](int me) {
    parts[me] = 1;
    barrier.arrive_and_wait();
    sink = parts[1 - me];
  };
  together([=] { round(0); }, [=] { round(1); });
}
SCENARIO(std_latch, clean) {
  static std::latch latch(1);
  together(
      [] {
        data = 1;
        latch.count_down();
      },
      [] {
        latch.wait();
        sink = data;
      });
}
SCENARIO(std_latch_late, racy) {
  static std::latch latch(1);
  together(
      [] {
        latch.count_down();
        data = 1;
      },
      [] {
        latch.wait();
        sink = data;
      });
}
SCENARIO(semaphore_right, clean) {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  together(
      [] {
        data = 1;
        sem_post(&semaphore);
      },
      [] {
        sem_wait(&semaphore);
        sink = data;
        sem_destroy(&semaphore);
      });
}
SCENARIO(semaphore_of_two, racy) {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 2);
  const auto add = [] {
    sem_wait(&semaphore);
    data += 1;
    sem_post(&semaphore);
  };
  together(add, add);
}
SCENARIO(std_semaphore, clean) {
  static std::binary_semaphore semaphore(0);
  together(
      [] {
        data = 1;
        semaphore.release();
      },
      [] {
        semaphore.acquire();
        sink = data;
      });
}
SCENARIO(create_and_join, clean) {
  data = 1;
  std::thread thread([] { data += 1; });
  thread.join();
  sink = data;
}
SCENARIO(before_join, racy) {
  std::thread thread([] { data += 1; });
  sink = data;
  thread.join();
}
SCENARIO(many_in_a_row, clean) {
  for (int i = 0; i < 40; ++i) std::thread([] { data += 1; }).join();
}
SCENARIO(detached, racy) {
  std::thread([] { data = 1; }).detach();
  sink = data;
  sleep(1);
}
SCENARIO(detached_with_mutex, clean) {
  std::thread([] {
    std::lock_guard lock(mutex);
    data = 1;
    ready = true;
    condition.notify_one();
  }).detach();
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return ready; });
  sink = data;
}
SCENARIO(call_once, clean) {
  static std::once_flag once;
  const auto use = [] {
    std::call_once(once, [] { data = 1; });
    sink = data;
  };
  together(use, use, use);
}
SCENARIO(static_init, clean) {
  struct Table {
    Table() : value(data) {}
    long value;
  };
  const auto use = [] {
    static const Table table;
    sink = table.value;
  };
  together(use, use, use);
}
SCENARIO(lazy_init_unlocked, racy) {
  static long* table;
  const auto use = [] {
    if (!table) table = new long(1);
    sink = *table;
  };
  together(use, use);
}
SCENARIO(promise_future, clean) {
  std::promise<std::string> promise;
  std::future<std::string> future = promise.get_future();
  std::thread thread([&] {
    data = 1;
    promise.set_value("a value that does not fit into the string itself");
  });
  sink = static_cast<long>(future.get().size()) + data;
  thread.join();
}
SCENARIO(promise_exception, clean) {
  struct Trouble : std::runtime_error {
    explicit Trouble(std::string what) : runtime_error(what), more(std::move(what)) {}
    std::string more;
  };
  std::promise<void> promise;
  std::shared_future<void> future = promise.get_future().share();
  const auto wait = [future] {
    try {
      future.get();
    } catch (const Trouble& trouble) {
      sink = static_cast<long>(trouble.more.size());
    }
  };
  together(wait, wait, [&promise] {
    promise.set_exception(std::make_exception_ptr(Trouble("a long story with a sad end to it")));
  });
}
SCENARIO(async, clean) {
  data = 1;
  auto future = std::async(std::launch::async, [] { return data += 1; });
  sink = future.get() + data;
}
SCENARIO(async_without_get, racy) {
  auto future = std::async(std::launch::async, [] { return data += 1; });
  sink = data;
}
SCENARIO(packaged_task, clean) {
  std::packaged_task<long()> task([] { return data += 1; });
  auto future = task.get_future();
  std::thread thread(std::move(task));
  sink = future.get() + data;
  thread.join();
}
SCENARIO(shared_ptr_right, clean) {
  auto shared = std::make_shared<long>(1);
  const auto use = [shared] { sink = *shared; };
  std::thread a(use), b(use);
  shared.reset();
  a.join();
  b.join();
}
SCENARIO(shared_ptr_same_object, racy) {
  auto shared = std::make_shared<long>(1);
  together([&] { shared = std::make_shared<long>(2); },
           [&] { shared = std::make_shared<long>(3); });
}
SCENARIO(pipe, clean) {
  static int ends[2];
  if (::pipe(ends)) return;
  together(
      [] {
        data = 1;
        sink = write(ends[1], "x", 1);
      },
      [] {
        char byte;
        sink = read(ends[0], &byte, 1);
        sink = data;
      });
}
SCENARIO(pipe_too_late, racy) {
  static int ends[2];
  if (::pipe(ends)) return;
  together(
      [] {
        sink = write(ends[1], "x", 1);
        data = 1;
      },
      [] {
        char byte;
        sink = read(ends[0], &byte, 1);
        sink = data;
      });
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
