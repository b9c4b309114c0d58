// An electricity meter: one thread counts pulses under a lock, another one shows the sum without
// it. A data race; docs/races.md shows how Jostle reports it.
#include <cstdio>
#include <mutex>
#include <thread>

class Meter {
 public:
  void pulse(long watt_seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    total_ += watt_seconds;
  }
  long total() const { return total_; }  // without the lock

 private:
  std::mutex mutex_;
  long total_ = 0;
};

Meter meter;

void count() {
  for (int i = 0; i < 3; ++i) meter.pulse(100);
}

void show() { std::printf("%ld Ws\n", meter.total()); }

int main() {
  std::thread counter(count), display(show);
  counter.join();
  display.join();
}

// SPDX-License-Identifier: Apache-2.0
