// SPDX-License-Identifier: Apache-2.0
// A hash map of several threads. `resize`: one changes its size while another inserts; `steady`:
// its size stays.
#undef NDEBUG
#include <cassert>
#include <libcuckoo/cuckoohash_map.hh>
#include <string>
#include <thread>

using Map = libcuckoo::cuckoohash_map<int, int>;

static void resize() {
  Map map(1);
  std::thread resizes([&] {
    map.rehash(1);
    map.rehash(0);
    map.insert(1, 10);
  });
  std::thread inserts([&] { map.insert(2, 20); });
  resizes.join();
  inserts.join();
  assert(map.size() == 2 && map.find(1) == 10 && map.find(2) == 20);
}

static void steady() {
  Map map(16);
  auto count = [&] {
    for (int i = 0; i < 2; ++i)
      map.upsert(
          7, [](int& n) { ++n; }, 1);
  };
  std::thread first(count), second(count);
  std::thread erases([&] {
    map.insert(8, 8);
    map.erase(8);
  });
  first.join();
  second.join();
  erases.join();
  assert(map.size() == 1 && map.find(7) == 4);
}

int main(int, char** argv) { argv[1] == std::string("resize") ? resize() : steady(); }
