// Heavy use of small stacks: deep recursion in a 256 KiB thread, large locals, alloca,
// variable-length frames, all unwound by an exception from the bottom.
#include <alloca.h>
#include <pthread.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "../check.h"

constexpr int kThreads = 6;

__attribute__((noinline)) static long recurse(int n) {
  volatile long here[8] = {n, n + 1, n + 2};  // some 100 bytes a frame
  if (n == 0) return 0;
  return recurse(n - 1) + here[0];
}

__attribute__((noinline)) static int large_local(int seed) {
  volatile char room[100 * 1024];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)(seed + (int)i);
  int sum = 0;
  for (size_t i = 0; i < sizeof room; i += 64) sum += room[i] == (char)(seed + (int)i);
  return sum;
}

__attribute__((noinline)) static int with_alloca(size_t n) {
  volatile char* room = static_cast<volatile char*>(alloca(n));
  for (size_t i = 0; i < n; i++) room[i] = (char)i;
  return room[n - 1] == (char)(n - 1);
}

struct Marker {
  explicit Marker(int* n) : count(n) { ++*count; }
  ~Marker() { --*count; }
  int* count;
};

__attribute__((noinline)) static int unwind(int n, int* alive) {
  Marker m(alive);
  if (n == 0) throw std::runtime_error("bottom");
  return unwind(n - 1, alive) + 1;
}

static void* body(void* arg) {
  for (int i = 0; i < 5; i++) {
    CHECK_EQ(recurse(1000), 1000 * 1001 / 2);
    CHECK_EQ(large_local(i), 1600);
    for (size_t n = 1; n < 60000; n = n * 3 + 1) CHECK(with_alloca(n));
    int alive = 0;
    try {
      unwind(500, &alive);
      CHECK(!"no exception");
    } catch (const std::runtime_error&) {
      CHECK_EQ(alive, 0);
    }
  }
  return arg;
}

int main() {
  pthread_attr_t a;
  CHECK_RC(pthread_attr_init(&a), 0);
  CHECK_RC(pthread_attr_setstacksize(&a, 256 * 1024), 0);
  std::vector<pthread_t> threads(kThreads);
  for (auto& t : threads) CHECK_RC(pthread_create(&t, &a, body, nullptr), 0);
  for (auto t : threads) CHECK_RC(pthread_join(t, nullptr), 0);
  body(nullptr);
  CHECK_RC(pthread_attr_destroy(&a), 0);
  return check_passed("proc_stack_use");
}

// SPDX-License-Identifier: Apache-2.0
