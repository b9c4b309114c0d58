// build: -ltbb
// Tasks of TBB, which is not instrumented: right, although nobody sees what orders them.
#include <tbb/tbb.h>

#include <cstdlib>
#include <execution>
#include <numeric>
#include <vector>

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

int main() {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
  std::vector<int> v(16);
  tbb::parallel_for(0, 16, [&](int i) { v[i] = i; });
  expect(std::reduce(std::execution::par, v.begin(), v.end()) == 120);
  tbb::task_group group;
  int a = 0, b = 0;
  group.run([&] { a = 1; });
  group.run([&] { b = 2; });
  group.wait();
  expect(a + b == 3);
}

// SPDX-License-Identifier: Apache-2.0
