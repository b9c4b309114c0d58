// SPDX-License-Identifier: Apache-2.0
// What absl/synchronization offers, as documented, one a run.
#include <absl/synchronization/barrier.h>
#include <absl/synchronization/blocking_counter.h>
#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>

#undef NDEBUG
#include <cassert>
#include <thread>

static void mutex() {
  absl::Mutex mutex;
  int put = 0, taken = 0;
  auto produce = [&] {
    absl::MutexLock lock(&mutex);
    ++put;
  };
  auto consume = [&] {
    absl::MutexLock lock(&mutex, absl::Condition(
                                     +[](int* n) { return *n > 0; }, &put));
    --put, ++taken;
  };
  std::thread threads[] = {std::thread(produce), std::thread(consume), std::thread(produce),
                           std::thread(consume)};
  mutex.ReaderLock(), assert(taken >= 0), mutex.ReaderUnlock();
  for (std::thread& thread : threads) thread.join();
  assert(put == 0 && taken == 2);
}

static void condition() {
  absl::Mutex mutex;
  absl::CondVar changed;
  bool ready = false;
  auto wait = [&] {
    absl::MutexLock lock(&mutex);
    while (!ready) changed.Wait(&mutex);
  };
  std::thread first(wait), second(wait);
  mutex.Lock(), ready = true, mutex.Unlock();
  changed.SignalAll();
  first.join(), second.join();
}

static void others() {
  absl::Notification told;
  absl::BlockingCounter left(2);
  auto work = [&] { told.WaitForNotification(), left.DecrementCount(); };
  std::thread first(work), second(work);
  told.Notify(), left.Wait();
  first.join(), second.join();
}

int main(int, char** words) {
  words[1][0] == 'm' ? mutex() : words[1][0] == 'c' ? condition() : others();
}
