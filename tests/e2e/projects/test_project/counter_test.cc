#include <atomic>
#include <jostle/jostle.hpp>
#include <thread>

int main() {
  jostle::property("counter", jostle::gen::any<int>(), [](int start) {
    std::atomic<int> counter{start};
    std::thread one([&] { ++counter; }), two([&] { --counter; });
    one.join();
    two.join();
    jostle::require(counter == start);
  });
}

// SPDX-License-Identifier: Apache-2.0
