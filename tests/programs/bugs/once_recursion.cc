// fails: deadlock (always)
// An initialiser that, two calls further down, asks for the same initialisation.
#include <mutex>
#include <thread>

static std::once_flag once;
static int verbosity;

static void initialise();

static int get_verbosity() {
  std::call_once(once, initialise);
  return verbosity;
}

static void log(const char* text) {
  if (get_verbosity() > 5) (void)text;
}

static void initialise() {
  log("initialising");
  verbosity = 1;
}

int main() {
  std::thread t(get_verbosity);
  t.join();
}

// SPDX-License-Identifier: Apache-2.0
