// SPDX-License-Identifier: Apache-2.0
// Tasks of std::async lose an update: which two of them?
#include <cassert>
#include <future>
#include <vector>

struct Tally {
  long votes = 0;
  void vote() {
    const long before = votes;
    votes = before + 1;
  }
};

int main() {
  Tally tally;
  std::vector<std::future<void>> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(std::async(std::launch::async, [&] { tally.vote(); }));
  }
  for (std::future<void>& task : tasks) task.get();
  assert(tally.votes == 4);
}
