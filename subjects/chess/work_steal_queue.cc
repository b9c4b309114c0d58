// A work-stealing queue: the owner pushes and pops at the tail without a lock, thieves take from
// the head under one. With STATE the items are objects that go through states.
//
// Wrong: pop looks at the head before it announces, by moving the tail, which item it is about to
// take.
// Shown when: one item is left, the owner has seen that it is there, and a thief takes it before
// the owner moves the tail: both have it.
// Failure: assert (an item is done twice; with STATE: an item in the wrong state).
// From: the work-stealing queue of Cilk's THE protocol (Frigo, Leiserson and Randall, 1998) as
// tested with CHESS; "Chess/WorkStealQueue" and "Chess/StateWorkStealQueue" of the reads-from
// fuzzer paper.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

constexpr int kItems = 4;
constexpr int kThieves = 1;
constexpr long kCapacity = 16;
constexpr long kMask = kCapacity - 1;

#ifdef STATE
enum class State { fresh, queued, running, done };
struct Item {
  State state = State::fresh;
  void queue() { step(State::fresh, State::queued); }
  void run() {
    step(State::queued, State::running);
    step(State::running, State::done);
  }
  void check() const { assert(state == State::done); }

 private:
  void step(State from, State to) {
    assert(state == from);
    state = to;
  }
};
#else
struct Item {
  std::atomic<int> runs{0};
  void queue() {}
  void run() { runs++; }
  void check() const { assert(runs == 1); }
};
#endif

class WorkStealQueue {
 public:
  // For the owner only.
  void push(Item* item) {
    const long tail = tail_;
    assert(tail - head_ < kCapacity);
    items_[tail & kMask] = item;
    tail_ = tail + 1;
  }

  // For the owner only; null when nothing is left.
  Item* pop() {
    const long tail = tail_ - 1;
#ifdef FIXED
    tail_ = tail;
    if (head_ <= tail) return items_[tail & kMask];
#else
    if (head_ <= tail) {
      tail_ = tail;
      return items_[tail & kMask];
    }
    tail_ = tail;
#endif
    // A thief may be about to take the last item, or to give it back.
    const std::lock_guard lock(thieves_);
    if (head_ <= tail) return items_[tail & kMask];
    tail_ = tail + 1;
    return nullptr;
  }

  // For everybody; null when there was nothing to take.
  Item* steal() {
    const std::lock_guard lock(thieves_);
    const long head = head_;
    head_ = head + 1;
    if (head < tail_) return items_[head & kMask];
    head_ = head;
    return nullptr;
  }

 private:
  std::atomic<long> head_{0}, tail_{0};
  std::mutex thieves_;
  std::atomic<Item*> items_[kCapacity] = {};
};

static WorkStealQueue queue;
static Item items[kItems];

static void thief() {
  for (int i = 0; i < kItems / 2; i++) {
    if (Item* item = queue.steal()) item->run();
  }
}

static void push_new(Item* item) {
  item->queue();
  queue.push(item);
}

static void pop_and_run() {
  if (Item* item = queue.pop()) item->run();
}

int main() {
  std::vector<std::thread> thieves;
  for (int i = 0; i < kThieves; i++) thieves.emplace_back(thief);
  for (int i = 0; i < kItems; i += 2) {
    push_new(&items[i]);
    push_new(&items[i + 1]);
    pop_and_run();
  }
  for (int i = 0; i < kItems / 2; i++) pop_and_run();
  for (auto& thread : thieves) thread.join();
  while (Item* item = queue.steal()) item->run();
  for (const Item& item : items) item.check();
}

// SPDX-License-Identifier: Apache-2.0
