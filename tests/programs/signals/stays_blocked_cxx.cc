// A signal for a thread that waits in the standard library: the handler runs meanwhile, and the
// thread goes on waiting.
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

#include "cases.h"

namespace {

sem_t handled, arrived;
std::atomic<bool> through;

void note(int) {
  CHECK(!through);
  sem_post(&handled);
}

void interrupt_while_blocked(const std::function<void()>& wait, const std::function<void()>& open) {
  sem_init(&handled, 0, 0);
  sem_init(&arrived, 0, 0);
  through = false;
  on_signal(SIGUSR1, note, 0);
  std::thread worker([&] {
    sem_post(&arrived);
    wait();
    through = true;
  });
  take(&arrived);
  for (int i = 0; i < 2; ++i) {
    nap();
    CHECK_RC(pthread_kill(worker.native_handle(), SIGUSR1), 0);
    take(&handled);
  }
  open();
  worker.join();
  CHECK(through);
}

void mutex() {
  std::mutex mutex;
  mutex.lock();
  interrupt_while_blocked([&] { std::lock_guard<std::mutex> lock(mutex); },
                          [&] { mutex.unlock(); });
}

void timed_mutex() {
  std::timed_mutex mutex;
  mutex.lock();
  interrupt_while_blocked(
      [&] {
        while (!mutex.try_lock_for(std::chrono::seconds(1000))) {
        }
        mutex.unlock();
      },
      [&] { mutex.unlock(); });
}

void shared_mutex() {
  std::shared_mutex mutex;
  mutex.lock();
  interrupt_while_blocked([&] { std::shared_lock<std::shared_mutex> lock(mutex); },
                          [&] { mutex.unlock(); });
}

void condition_variable() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  interrupt_while_blocked(
      [&] {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return ready; });
      },
      [&] {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        changed.notify_one();
      });
}

void condition_variable_any() {
  std::shared_mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  interrupt_while_blocked(
      [&] {
        std::shared_lock<std::shared_mutex> lock(mutex);
        changed.wait(lock, [&] { return ready; });
      },
      [&] {
        std::lock_guard<std::shared_mutex> lock(mutex);
        ready = true;
        changed.notify_all();
      });
}

void atomic_wait() {
  std::atomic<int> value = 0;
  interrupt_while_blocked([&] { value.wait(0); },
                          [&] {
                            value = 1;
                            value.notify_one();
                          });
}

void semaphore() {
  std::counting_semaphore<> tokens(0);
  interrupt_while_blocked([&] { tokens.acquire(); }, [&] { tokens.release(); });
}

void latch() {
  std::latch latch(1);
  interrupt_while_blocked([&] { latch.wait(); }, [&] { latch.count_down(); });
}

void barrier() {
  std::barrier<> barrier(2);
  interrupt_while_blocked([&] { barrier.arrive_and_wait(); }, [&] { barrier.arrive_and_wait(); });
}

void future() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  interrupt_while_blocked([&] { CHECK_EQ(future.get(), 3); }, [&] { promise.set_value(3); });
}

void joined_thread() {
  sem_t may_end;
  sem_init(&may_end, 0, 0);
  std::thread sleeper([&] { take(&may_end); });
  interrupt_while_blocked([&] { sleeper.join(); }, [&] { sem_post(&may_end); });
}

void call_once() {
  std::once_flag flag;
  sem_t begun, may_end;
  sem_init(&begun, 0, 0);
  sem_init(&may_end, 0, 0);
  const auto initialise = [&] {
    sem_post(&begun);
    take(&may_end);
  };
  std::thread first([&] { std::call_once(flag, initialise); });
  take(&begun);
  interrupt_while_blocked([&] { std::call_once(flag, initialise); }, [&] { sem_post(&may_end); });
  first.join();
}

sem_t initialising, may_be_initialised;
struct Slow {
  Slow() {
    sem_post(&initialising);
    take(&may_be_initialised);
  }
};
Slow& slow() {
  static Slow instance;
  return instance;
}
void local_static() {
  sem_init(&initialising, 0, 0);
  sem_init(&may_be_initialised, 0, 0);
  std::thread first([] { slow(); });
  take(&initialising);
  interrupt_while_blocked([] { slow(); }, [] { sem_post(&may_be_initialised); });
  first.join();
}

// The end of a thread in a handler runs destructors. (Not in a call that the headers declare
// noexcept: that ends the program.)
struct Counted {
  explicit Counted(int& counter) : counter(counter) {}
  ~Counted() { ++counter; }
  int& counter;
};
int destroyed;
void* wait_and_end(void* semaphore) {
  const Counted counted(destroyed);
  sem_post(&arrived);
  for (;;) sem_wait(static_cast<sem_t*>(semaphore));
  return nullptr;
}
void end_thread(int) { pthread_exit(reinterpret_cast<void*>(4)); }
void ending_runs_destructors() {
  sem_t never;
  sem_init(&never, 0, 0);
  sem_init(&arrived, 0, 0);
  destroyed = 0;
  on_signal(SIGUSR1, end_thread, 0);
  pthread_t thread;
  CHECK_RC(pthread_create(&thread, nullptr, wait_and_end, &never), 0);
  take(&arrived);
  nap();
  CHECK_RC(pthread_kill(thread, SIGUSR1), 0);
  CHECK_EQ(reinterpret_cast<long>(join(thread)), 4);
  CHECK_EQ(destroyed, 1);
}

const Case cases[] = {
    CASE(mutex),
    CASE(timed_mutex),
    CASE(shared_mutex),
    CASE(future),
    CASE(condition_variable),
    CASE(condition_variable_any),
    CASE(atomic_wait),
    CASE(semaphore),
    CASE(latch),
    CASE(barrier),
    CASE(joined_thread),
    CASE(call_once),
    CASE(local_static),
    CASE(ending_runs_destructors),
};

}  // namespace

int main(int argc, char** argv) { return RUN_CASES("stays_blocked_cxx", cases, argc, argv); }

// SPDX-License-Identifier: Apache-2.0
