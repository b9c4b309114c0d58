#include <mutex>
#include <vector>

static std::mutex mutex;
static std::vector<int> values;

void push(int value) {
  const std::lock_guard lock(mutex);
  values.push_back(value);
}

int pop() {
  const std::lock_guard lock(mutex);
  const int value = values.back();
  values.pop_back();
  return value;
}

// SPDX-License-Identifier: Apache-2.0
