// SPDX-License-Identifier: Apache-2.0
// Who frees the connection does not wait for the thread that still sends.
#include <atomic>
#include <thread>

struct Connection {
  int sent = 0;
  void send() { sent++; }
};

std::atomic<bool> done{false};

int main() {
  auto* connection = new Connection;
  std::thread([connection] {
    connection->send();
    connection->send();
    done = true;
  }).detach();
  connection->send();
  delete connection;
  while (!done) std::this_thread::yield();
}
