// SPDX-License-Identifier: Apache-2.0
// An arena of three slots sums; tasks share a queue, and threads a map and a bounded queue.
#undef NDEBUG
#include <oneapi/tbb.h>

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> sum{0};

static void in_parallel() {
  tbb::task_arena arena(3);
  arena.execute([&] { tbb::parallel_for(1, 5, [&](int i) { sum += i; }); });
  assert(sum == 10);
}

static void queue() {
  tbb::task_arena arena(3);
  tbb::concurrent_queue<int> queue;
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 1; i <= 2; ++i) {
      group.run([&, i] {
        queue.push(i);
        for (int value; queue.try_pop(value);) sum += value;
      });
    }
    group.wait();
  });
  assert(sum == 3 && queue.empty());
}

static void containers() {
  tbb::concurrent_hash_map<int, int> map;
  tbb::concurrent_bounded_queue<int> queue;
  queue.set_capacity(1);
  std::thread producer([&] {
    for (int i = 1; i <= 3; ++i) {
      tbb::concurrent_hash_map<int, int>::accessor place;
      map.insert(place, 0);
      place->second += i;
      place.release();
      queue.push(i);
    }
  });
  for (int i = 1, value; i <= 3; ++i) {
    queue.pop(value);
    tbb::concurrent_hash_map<int, int>::const_accessor place;
    assert(value == i && map.find(place, 0) && place->second >= value);
  }
  producer.join();
}

int main(int, char** words) {
  tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  *words[1] == 'f' ? in_parallel() : *words[1] == 'q' ? queue() : containers();
}
