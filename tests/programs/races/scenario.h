// Many small programs in one: each scenario is a function, chosen by name on the command line. Its
// second word says whether it has a data race; tests/e2e/races_test.cc reads it from the source.
#pragma once

#include <cstdio>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

struct Scenario {
  const char* name;
  void (*run)();
};

inline std::vector<Scenario>& scenarios() {
  static std::vector<Scenario> all;
  return all;
}

struct Registered {
  Registered(const char* name, void (*run)()) { scenarios().push_back({name, run}); }
};

#define SCENARIO(name, expected)                                     \
  static void scenario_##name();                                     \
  static const Registered registered_##name(#name, scenario_##name); \
  static void scenario_##name()

// Runs all at once and waits for them.
template <typename... Bodies>
void together(Bodies... bodies) {
  std::thread threads[] = {std::thread(bodies)...};
  for (std::thread& thread : threads) thread.join();
}

// What a scenario computes goes here, so that the compiler computes it. Nobody sees these writes.
struct Sink {
  volatile long value;
  __attribute__((no_sanitize("thread"), noinline)) void operator=(long computed) {
    value = computed;
  }
};
inline Sink sink;

inline int run_scenario(int argc, char** argv) {
  for (const Scenario& scenario : scenarios()) {
    if (argc == 2 && std::strcmp(argv[1], scenario.name) == 0) {
      scenario.run();
      return 0;
    }
  }
  std::fprintf(stderr, "no such scenario\n");
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
