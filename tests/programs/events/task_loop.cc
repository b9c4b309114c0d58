// <jostle/task_loop.hpp>, jostle_permute: tasks in any order, strands and timers in theirs. Prints
// the order.
#include <jostle/jostle.h>

#include <array>
#include <cstdio>
#include <jostle/task_loop.hpp>
#include <string>

#include "../check.h"

using namespace std::chrono_literals;

int main() {
  jostle::TaskLoop loop;
  jostle::TaskLoop::Strand strand(loop);
  std::string order;
  int in_strand = 0, struck = 0;
  for (int i = 0; i < 3; i++) {
    loop.post([&order, i] { order += static_cast<char>('a' + i); });
    strand.post([&, i] {
      CHECK(in_strand == i);
      in_strand++;
      order += static_cast<char>('0' + i);
    });
  }
  loop.post_after(20ms, [&] {
    CHECK(loop.now() >= 20ms);
    CHECK(struck++ == 1);
    order += 'T';
  });
  loop.post_after(10ms, [&] {
    CHECK(loop.now() >= 10ms);
    CHECK(struck++ == 0);
    order += 't';
  });
  loop.run();
  CHECK(order.size() == 8);
  std::array<int, 4> cards = {1, 2, 3, 4};
  jostle_permute(cards.data(), cards.size(), sizeof cards[0]);
  int sum = 0;
  for (const int card : cards) {
    order += static_cast<char>('0' + card);
    sum += card;
  }
  CHECK(sum == 10);
  CHECK(jostle_choose(3) < 3);
  std::puts(order.c_str());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
