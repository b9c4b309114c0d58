// Two threads find nothing computed yet. They share it by a pointer that counts its owners, which
// has nothing to do with it.
#undef NDEBUG  // the assertion is the point
#include <cassert>
#include <memory>
#include <optional>
#include <thread>

class Lazy {
 public:
  int calls = 0;
  int get() {
    if (!value) {
      ++calls;
      value = 5;
    }
    return *value;
  }

 private:
  std::optional<int> value;
};

int main() {
  auto lazy = std::make_shared<Lazy>();
  std::thread a([lazy] { lazy->get(); }), b([lazy] { lazy->get(); });
  a.join();
  b.join();
  assert(lazy->calls == 1);
}

// SPDX-License-Identifier: Apache-2.0
