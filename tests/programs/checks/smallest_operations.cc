// A property that a single operation of one kind breaks, with two preemptions; all others are
// noise. The smallest counterexample is {1}, however long the input was that it was found with.
#include <cassert>
#include <jostle/jostle.hpp>
#include <thread>
#include <vector>

namespace gen = jostle::gen;

int main() {
  jostle::property("smallest", gen::vector_of(gen::range(0, 3)).named("ops"),
                   [](const std::vector<int>& ops) {
                     int busy = 0, done = 0, seen = 0;
                     std::thread worker([&] {
                       for (const int op : ops) {
                         if (op == 1) busy = busy + 1;
                         done = done + 1;
                         if (op == 1) busy = busy - 1;
                       }
                     });
                     std::thread reader([&] {
                       for (int i = 0; i < 6; ++i) {
                         if (busy == 1 && i >= 1) {
                           seen = seen + 1;
                         } else if (busy == 0 && seen == 1 && i > 3) {
                           seen = 100;
                         }
                       }
                     });
                     worker.join();
                     reader.join();
                     assert(seen != 100);
                   });
}

// SPDX-License-Identifier: Apache-2.0
