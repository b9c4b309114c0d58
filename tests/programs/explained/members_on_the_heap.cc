// What belongs together lies in an object on the heap: the flag and the counter.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Session {
  std::mutex lock;
  int requests = 0;
  bool open = true;
  void request() {
    if (!open) return;
    const std::lock_guard<std::mutex> guard(lock);
    requests++;
  }
  void close() {
    const std::lock_guard<std::mutex> guard(lock);
    open = false;
    requests = 0;
  }
};

int main() {
  const auto session = std::make_unique<Session>();
  std::thread client([&] { session->request(); }), server([&] { session->close(); });
  client.join();
  server.join();
  assert(session->open || session->requests == 0);
}

// SPDX-License-Identifier: Apache-2.0
