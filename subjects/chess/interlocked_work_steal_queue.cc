// A work-stealing queue without locks: whoever takes from the head moves it with a compare-
// exchange. With STATE the items are objects that go through states.
//
// Wrong: the owner takes the last item without the compare-exchange, as if nobody else could want
// it.
// Shown when: one item is left, a thief has read head and tail, the owner pops the item, and the
// thief's compare-exchange succeeds: both have it.
// Failure: assert (an item is done twice; with STATE: an item in the wrong state).
// From: the array-based deque of Arora, Blumofe and Plaxton (1998) as tested with CHESS;
// "Chess/InterlockedWorkStealQueue" and "Chess/InterlockedWorkStealQueueWithState" of the
// reads-from fuzzer paper.
#include <atomic>
#include <cassert>
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
    tail_ = tail;
    long head = head_;
    Item* item = items_[tail & kMask];
#ifdef FIXED
    if (head < tail) return item;
    // The last one: whoever moves the head has it.
    if (head == tail && !head_.compare_exchange_strong(head, head + 1)) item = nullptr;
    if (head > tail) item = nullptr;
    tail_ = tail + 1;
    return item;
#else
    if (head <= tail) return item;
    tail_ = head;
    return nullptr;
#endif
  }

  // For everybody; null when there was nothing to take or another thread was faster.
  Item* steal() {
    long head = head_;
    if (head >= tail_) return nullptr;
    Item* item = items_[head & kMask];
    if (!head_.compare_exchange_strong(head, head + 1)) return nullptr;
    return item;
  }

 private:
  std::atomic<long> head_{0}, tail_{0};
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
