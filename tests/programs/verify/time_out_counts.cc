// Waits, locks and sleeps that end by their time-out while others could go on.
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "counted.h"

static std::atomic<int> x, y;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static std::mutex asked_mutex;
static std::condition_variable asked;
static bool answered;
static thread_local volatile bool used;

// Far in the future: nobody reads the clock.
static const timespec kLater = {2'000'000'000, 0};
static const timespec kSecond = {1, 0};

static void count(int) { ++x; }
static void sleep_and_count(int) {
  nanosleep(&kSecond, nullptr);
  ++x;
}
COUNTED(sleep) { start<sleep_and_count>(), start<count>(); }
COUNTED(sleepers) { start_each<sleep_and_count>(n); }

static void wait_until_later(int) {
  pthread_mutex_lock(&mutex);
  if (pthread_cond_timedwait(&changed, &mutex, &kLater) == 0) ++y;
  pthread_mutex_unlock(&mutex);
}
static void signal_it(int) {
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}
COUNTED(wait_alone) { start<wait_until_later>(); }
COUNTED(wait) { start<wait_until_later>(), start<signal_it>(); }
COUNTED(two_waits) { start_each<wait_until_later>(2), start<signal_it>(); }

// The time is over before it begins.
static void look_once(int) {
  std::unique_lock lock(asked_mutex);
  used = asked.wait_for(lock, std::chrono::seconds(0), [] { return answered; });
}
static void answer(int) {
  const std::lock_guard lock(asked_mutex);
  answered = true;
  asked.notify_all();
}
COUNTED(wait_no_longer) { start<look_once>(), start<answer>(); }

static void lock_until_later(int) {
  if (pthread_mutex_timedlock(&mutex, &kLater) != 0) return;
  ++x;
  pthread_mutex_unlock(&mutex);
}
COUNTED(timed_lock) { start_each<lock_until_later>(n); }

static void take_until_later(int) {
  if (sem_timedwait(&semaphore, &kLater) == 0) ++x;
}
static void give(int) { sem_post(&semaphore); }
COUNTED(timed_take) { start<take_until_later>(), start<give>(); }

// These read the clock.
static std::mutex cxx_mutex;
static std::condition_variable cxx_changed;
static bool is_ready;
static void wait_a_second(int) {
  std::unique_lock lock(cxx_mutex);
  cxx_changed.wait_for(lock, std::chrono::seconds(1));
}
static void notify(int) {
  const std::lock_guard lock(cxx_mutex);
  is_ready = true;
  cxx_changed.notify_one();
}
static void wait_until_ready(int) {
  std::unique_lock lock(cxx_mutex);
  while (!is_ready) cxx_changed.wait_for(lock, std::chrono::seconds(1));
}
COUNTED(wait_for) { start<wait_a_second>(), start<notify>(); }
// One times out and reads the clock, which is beyond the other's deadline then.
COUNTED(two_wait_for) { start_each<wait_a_second>(2), start<notify>(); }
COUNTED(wait_in_loop) { start<wait_until_ready>(), start<notify>(); }

static std::optional<std::promise<int>> promise;
static std::future<int> result;
static void promised(int) { promise->set_value(7); }
static void wait_for_result(int) { result.wait_for(std::chrono::seconds(1)); }
COUNTED(future_wait_for) {
  promise.emplace();
  result = promise->get_future();
  start<promised>(), start<wait_for_result>();
}

// SPDX-License-Identifier: Apache-2.0
