// fails: never
// once_recursion without the message.
#include <mutex>
#include <thread>

static std::once_flag once;
static int verbosity;

static int get_verbosity() {
  std::call_once(once, [] { verbosity = 1; });
  return verbosity;
}

int main() {
  std::thread t(get_verbosity);
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
