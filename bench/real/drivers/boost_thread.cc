// SPDX-License-Identifier: Apache-2.0
// Boost.Thread: futures with continuations, a shared mutex with an upgrade, interruption.
#define BOOST_THREAD_VERSION 4
#include <boost/thread.hpp>
#include <boost/thread/future.hpp>
#include <cassert>
#include <cstring>

static void futures() {
  boost::promise<int> promise;
  auto next = promise.get_future().then([](boost::future<int> value) { return value.get() + 1; });
  boost::thread setter([&] { promise.set_value(1); });
  assert(next.get() == 2);
  setter.join();
}

static void upgrade() {
  boost::shared_mutex mutex;
  int value = 0;
  auto increment = [&] {
    boost::upgrade_lock<boost::shared_mutex> lock(mutex);
    const int seen = value;
    boost::upgrade_to_unique_lock<boost::shared_mutex> alone(lock);
    value = seen + 1;
  };
  boost::thread first(increment), second(increment);
  {
    boost::shared_lock<boost::shared_mutex> lock(mutex);
    assert(value <= 2);
  }
  first.join(), second.join();
  assert(value == 2);
}

static void interruption() {
  boost::mutex mutex;
  boost::condition_variable changed;
  bool interrupted = false;
  boost::thread sleeper([&] {
    try {
      boost::unique_lock<boost::mutex> lock(mutex);
      for (;;) changed.wait(lock);
    } catch (const boost::thread_interrupted&) {
      interrupted = true;
    }
  });
  sleeper.interrupt();
  sleeper.join();
  assert(interrupted);
}

int main(int, char** words) {
  std::strcmp(words[1], "futures") == 0   ? futures()
  : std::strcmp(words[1], "upgrade") == 0 ? upgrade()
                                          : interruption();
}
