// Two locks of main's own, taken in either order, and a counter beside them.
#include <mutex>
#include <thread>

struct Ledger {
  long entries = 0;
};

int main() {
  std::mutex incoming, outgoing;
  Ledger ledger;
  std::thread receive([&] {
    const std::lock_guard<std::mutex> first(incoming);
    const std::lock_guard<std::mutex> second(outgoing);
    ledger.entries++;
  });
  std::thread send([&] {
    const std::lock_guard<std::mutex> first(outgoing);
    const std::lock_guard<std::mutex> second(incoming);
    ledger.entries++;
  });
  receive.join();
  send.join();
}

// SPDX-License-Identifier: Apache-2.0
