// A property with two threads that do two operations each.
#include <atomic>
#include <jostle/jostle.hpp>
#include <thread>

int main() {
  jostle::property("two threads", jostle::gen::any<int>(), [](int n) {
    std::atomic<int> a{n}, b{0};
    const auto work = [&] {
      ++a;
      ++b;
    };
    std::thread one(work), two(work);
    one.join();
    two.join();
  });
}

// SPDX-License-Identifier: Apache-2.0
