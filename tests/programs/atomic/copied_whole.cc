// SPDX-License-Identifier: Apache-2.0
// Objects with padding, and with members that have no value, copied as a whole: what lies there is
// what happened to be on the stack. Every function holds the lock all the time; with the argument
// "broken" one does not. Not optimised, or nothing of it is copied.
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {

struct Item {
  char kind;
  int value;
  bool flag;
  double weight;
};

class Slot {
 public:
  bool put(int value) {
    const std::lock_guard hold(mutex_);
    if (value_) return false;
    value_ = std::optional<int>(value);
    log_.push_back(Item{'p', value, true, 1});
    last_ = Item{'p', value, false, 2};
    row_ = std::make_tuple('p', last_, true);
    return true;
  }
  std::optional<int> take() {
    const std::lock_guard hold(mutex_);
    const std::optional<int> taken = value_;
    value_ = std::nullopt;
    Item item;
    item.kind = 't';
    item.value = taken.value_or(0);
    item.flag = false;
    item.weight = 3;
    any_ = item;
    return taken;
  }
  void take_later() {
    const std::optional<int> seen = peek();
    const std::lock_guard hold(mutex_);
    value_ = std::nullopt;
    any_ = seen.value_or(7);
  }
  std::optional<int> peek() {
    const std::lock_guard hold(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  std::optional<int> value_;
  std::vector<Item> log_;
  Item last_{};
  std::tuple<char, Item, bool> row_{};
  std::variant<std::monostate, int, Item> any_;
};
Slot slot;
std::optional<int> got[2];

}  // namespace

int main(int argc, char** argv) {
  const bool is_broken = argc == 2 && std::strcmp(argv[1], "broken") == 0;
  std::thread first([] {
    slot.put(1);
    got[0] = slot.take();
  });
  std::thread second([is_broken] {
    if (is_broken) {
      slot.take_later();
    } else {
      slot.put(2);
      got[1] = slot.take();
    }
  });
  first.join();
  second.join();
}
