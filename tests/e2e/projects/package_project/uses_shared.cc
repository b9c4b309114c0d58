#include <jostle/jostle.h>

#include <thread>

void push(int value);
int pop();

int main() {
  push(1);
  std::thread other([] { push(2); });
  other.join();
  return pop() + pop() - 3;
}

// SPDX-License-Identifier: Apache-2.0
