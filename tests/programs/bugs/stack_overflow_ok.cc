// fails: never
// stack_overflow with check and move under one lock.
#include <pthread.h>

#include <mutex>
#include <thread>

struct Folder {
  Folder* parent = nullptr;
};

static std::mutex mutex;
static Folder a, b;

static int depth(const Folder* f) {
  volatile char name[64];  // some room per frame
  name[0] = 1;
  return f->parent ? depth(f->parent) + name[0] : 0;
}

static bool contains(const Folder* outer, const Folder* inner) {
  return inner == outer || inner->parent == outer;
}

static void move(Folder* what, Folder* to) {
  std::lock_guard<std::mutex> lock(mutex);
  if (contains(what, to)) return;
  what->parent = to;
}

static void* measure(void* arg) {
  *static_cast<int*>(arg) = depth(&a);
  return nullptr;
}

int main() {
  std::thread t1(move, &a, &b), t2(move, &b, &a);
  t1.join();
  t2.join();
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 * 1024);
  pthread_t t;
  int result = -1;
  if (pthread_create(&t, &small, measure, &result) != 0) return 2;
  pthread_join(t, nullptr);
  return result >= 0 && result <= 1 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
