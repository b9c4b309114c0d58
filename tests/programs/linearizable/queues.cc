// SPDX-License-Identifier: Apache-2.0
// Queues: with a mutex, of Michael and Scott, of Vyukov, of Herlihy and Wing, for one producer and
// one consumer; and broken relatives.
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <jostle/linearizable.hpp>
#include <mutex>
#include <optional>
#include <queue>

namespace gen = jostle::gen;

struct LockedQueue {
  std::mutex lock;
  std::queue<int> items;
  void push(int value) {
    const std::lock_guard guard(lock);
    items.push(value);
  }
  std::optional<int> pop() {
    const std::lock_guard guard(lock);
    if (items.empty()) return std::nullopt;
    const int value = items.front();
    items.pop();
    return value;
  }
  size_t size() {
    const std::lock_guard guard(lock);
    return items.size();
  }
};

// Looks whether there is something, lets go of the lock, and takes it.
struct HastyQueue : LockedQueue {
  std::optional<int> pop() {
    {
      const std::lock_guard guard(lock);
      if (items.empty()) return std::nullopt;
    }
    const std::lock_guard guard(lock);
    const int value = items.empty() ? -1 : items.front();
    if (!items.empty()) items.pop();
    return value;
  }
};

// Takes the second when there is one: a queue for those who are not particular.
struct SkippingQueue : LockedQueue {
  std::optional<int> pop() {
    const std::lock_guard guard(lock);
    if (items.empty()) return std::nullopt;
    const int first = items.front();
    items.pop();
    if (items.empty()) return first;
    const int second = items.front();
    items.front() = first;
    return second;
  }
};

// Michael and Scott; nodes are never freed.
template <bool kChecksAgain>
struct LinkedQueue {
  struct Node {
    explicit Node(int value_ = 0) : value(value_) {}
    int value;
    std::atomic<Node*> next{nullptr};
  };
  std::atomic<Node*> head, tail;
  LinkedQueue() { head = tail = new Node; }
  void push(int value) {
    Node* node = new Node(value);
    for (;;) {
      Node* last = tail.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail.compare_exchange_strong(last, next);
        continue;
      }
      if (last->next.compare_exchange_strong(next, node)) {
        tail.compare_exchange_strong(last, node);
        return;
      }
    }
  }
  std::optional<int> pop() {
    for (;;) {
      Node* first = head.load();
      Node* last = tail.load();
      Node* next = first->next.load();
      if (next == nullptr) return std::nullopt;
      if (first == last) {
        tail.compare_exchange_strong(last, next);
        continue;
      }
      const int value = next->value;
      if (!kChecksAgain) {  // takes what it saw, whoever came first
        head.store(next);
        return value;
      }
      if (head.compare_exchange_strong(first, next)) return value;
    }
  }
};

// Vyukov's bounded queue. With several producers it is not linearizable: pop() finds nothing while
// a push that came first is not through, although a later one is.
struct BoundedQueue {
  static constexpr size_t kSize = 4;
  struct Cell {
    std::atomic<size_t> sequence;
    int value;
  };
  std::array<Cell, kSize> cells;
  std::atomic<size_t> in{0}, out{0};
  BoundedQueue() {
    for (size_t i = 0; i < kSize; ++i) cells[i].sequence = i;
  }
  bool push(int value) {
    size_t at = in.load();
    for (;;) {
      Cell& cell = cells[at % kSize];
      const auto difference = static_cast<intptr_t>(cell.sequence.load() - at);
      if (difference < 0) return false;
      if (difference > 0) {
        at = in.load();
      } else if (in.compare_exchange_weak(at, at + 1)) {
        cell.value = value;
        cell.sequence.store(at + 1);
        return true;
      }
    }
  }
  std::optional<int> pop() {
    size_t at = out.load();
    for (;;) {
      Cell& cell = cells[at % kSize];
      const auto difference = static_cast<intptr_t>(cell.sequence.load() - (at + 1));
      if (difference < 0) return std::nullopt;
      if (difference > 0) {
        at = out.load();
      } else if (out.compare_exchange_weak(at, at + 1)) {
        const int value = cell.value;
        cell.sequence.store(at + kSize);
        return value;
      }
    }
  }
};

// Herlihy and Wing, with a pop that gives up: "nothing" need not have been true at any moment.
struct SlotQueue {
  static constexpr int kSlots = 16;
  std::atomic<int> slots[kSlots];
  std::atomic<int> back{0};
  SlotQueue() {
    for (auto& slot : slots) slot = -1;
  }
  void push(int value) { slots[back.fetch_add(1)].store(value); }
  std::optional<int> pop() {
    const int end = back.load();
    for (int i = 0; i < end; ++i) {
      const int value = slots[i].exchange(-1);
      if (value >= 0) return value;
    }
    return std::nullopt;
  }
};

// For one producer and one consumer.
struct Ring {
  static constexpr size_t kSize = 4;
  int items[kSize] = {};
  std::atomic<size_t> in{0}, out{0};
  bool push(int value) {
    const size_t at = in.load();
    if (at - out.load() == kSize) return false;
    items[at % kSize] = value;
    in.store(at + 1);
    return true;
  }
  std::optional<int> pop() {
    const size_t at = out.load();
    if (at == in.load()) return std::nullopt;
    const int value = items[at % kSize];
    out.store(at + 1);
    return value;
  }
};

// pop() waits for an item. One that forgets to wake loses a thread.
template <bool kWakes>
struct BlockingQueue {
  std::mutex lock;
  std::condition_variable filled;
  std::queue<int> items;
  void push(int value) {
    bool was_empty;
    {
      const std::lock_guard guard(lock);
      was_empty = items.empty();
      items.push(value);
    }
    if (kWakes || was_empty) filled.notify_one();
  }
  int pop() {
    std::unique_lock guard(lock);
    filled.wait(guard, [&] { return !items.empty(); });
    const int value = items.front();
    items.pop();
    return value;
  }
};

// Waits for an item, but not for ever.
struct PatientQueue : BlockingQueue<true> {
  std::optional<int> pop_for() {
    std::unique_lock guard(lock);
    if (!filled.wait_for(guard, std::chrono::milliseconds(1), [&] { return !items.empty(); })) {
      return std::nullopt;
    }
    const int value = items.front();
    items.pop();
    return value;
  }
};

#define QUEUE_OPERATIONS(Type)                                                        \
  auto queue = share<Type>();                                                         \
  operation("push", gen::range(0, 2), [=](int value) { return queue->push(value); }); \
  operation("pop", [=] { return queue->pop(); })

JOSTLE_LINEARIZABLE(Locked) {
  QUEUE_OPERATIONS(LockedQueue);
  operation("size", [=] { return queue->size(); });
}
JOSTLE_LINEARIZABLE(Hasty) { QUEUE_OPERATIONS(HastyQueue); }
JOSTLE_LINEARIZABLE(MichaelScott) { QUEUE_OPERATIONS(LinkedQueue<true>); }
JOSTLE_LINEARIZABLE(TakesUnchecked) { QUEUE_OPERATIONS(LinkedQueue<false>); }
JOSTLE_LINEARIZABLE(VyukovOfMany) { QUEUE_OPERATIONS(BoundedQueue); }
JOSTLE_LINEARIZABLE(VyukovOfOne) {
  auto queue = share<BoundedQueue>();
  operation("push", gen::range(0, 2), [=](int v) { return queue->push(v); }).only_by("producer");
  operation("pop", [=] { return queue->pop(); }).only_by("consumer");
}
JOSTLE_LINEARIZABLE(HerlihyWing) { QUEUE_OPERATIONS(SlotQueue); }
JOSTLE_LINEARIZABLE(RingOfOneEach) {
  auto ring = share<Ring>();
  operation("push", gen::range(0, 2), [=](int v) { return ring->push(v); }).only_by("producer");
  operation("pop", [=] { return ring->pop(); }).only_by("consumer");
}
JOSTLE_LINEARIZABLE(RingOfMany) { QUEUE_OPERATIONS(Ring); }
JOSTLE_LINEARIZABLE(Blocking) { QUEUE_OPERATIONS(BlockingQueue<true>); }
JOSTLE_LINEARIZABLE(ForgetsToWake) { QUEUE_OPERATIONS(BlockingQueue<false>); }

JOSTLE_LINEARIZABLE(Patient) {
  QUEUE_OPERATIONS(PatientQueue);
  operation("pop_for", [=] { return queue->pop_for(); });
}

JOSTLE_LINEARIZABLE(SkipsMany) {
  auto queue = share<SkippingQueue>();
  auto right = model<LockedQueue>();
  operation("push", gen::range(0, 3), [=](int v) { queue->push(v); }).model([=](int v) {
    right->push(v);
  });
  operation("pop", [=] { return queue->pop(); }).model([=] { return right->pop(); });
  consistency(quasi{9});
}

JOSTLE_LINEARIZABLE(SkipsOne) {
  auto queue = share<SkippingQueue>();
  auto right = model<LockedQueue>();
  operation("push", gen::range(0, 3), [=](int v) { queue->push(v); }).model([=](int v) {
    right->push(v);
  });
  operation("pop", [=] { return queue->pop(); }).model([=] { return right->pop(); });
  consistency(quasi{1});
}

int main(int argc, char** argv) { return jostle::run_tests(argc, argv); }
