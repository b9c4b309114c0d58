// Two owners of an object, each of which looks at the count after it has given up its share.
#include <atomic>
#include <thread>

struct Shared {
  std::atomic<int> owners{2};
  int payload[6] = {};
  void release() {
    owners.fetch_sub(1);
    if (owners.load() == 0) delete this;
  }
};

int main() {
  auto* shared = new Shared;
  std::thread a([shared] { shared->release(); }), b([shared] { shared->release(); });
  a.join();
  b.join();
}

// SPDX-License-Identifier: Apache-2.0
