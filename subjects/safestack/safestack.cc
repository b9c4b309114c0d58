// A lock-free stack of the free slots of an array: a slot's `next` is the slot below it, or -1
// while a pop has claimed it.
//
// Wrong: ABA. A pop that claimed the top slot goes on with a `next` from before others popped and
// pushed the same slot, so that a slot is handed out twice. That the last slot is never popped
// (count > 1), and that a claimed slot is marked, makes it rare but not impossible.
// Shown when: all three threads are caught in the middle of a pop or push in one particular way.
// Two threads cannot do it, nor can one round each; trying all schedules of a model shows that
// eight preemptions are the fewest.
// Failure: assert (two threads own one slot).
// From: Dmitry Vyukov's SafeStack, posted to the CHESS forum (2010) as a challenge to model
// checkers; "SafeStack" of the reads-from fuzzer and SURW papers.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>
#ifdef FIXED
#include <mutex>
#endif

constexpr int kThreads = 3;
constexpr int kSlots = 3;
constexpr int kRounds = 2;

class SafeStack {
 public:
  SafeStack() : count_(kSlots), head_(0) {
    for (int i = 0; i + 1 < kSlots; i++) slots_[i].next = i + 1;
  }

  // The number of a slot that is the caller's now, or -1 when there is none to spare.
  int pop() {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
#endif
    while (count_ > 1) {
      const int top = head_;
      const int below = slots_[top].next.exchange(-1);
      if (below < 0) continue;  // somebody else is popping it
      int expected = top;
      if (head_.compare_exchange_strong(expected, below)) {
        count_--;
        return top;
      }
      slots_[top].next = below;
    }
    return -1;
  }

  void push(int slot) {
#ifdef FIXED
    const std::lock_guard lock(mutex_);
#endif
    int top = head_;
    do {
      slots_[slot].next = top;
    } while (!head_.compare_exchange_strong(top, slot));
    count_++;
  }

  std::atomic<int>& owner(int slot) { return slots_[slot].owner; }

 private:
  struct Slot {
    std::atomic<int> owner{-1};
    std::atomic<int> next{-1};
  };

#ifdef FIXED
  std::mutex mutex_;
#endif
  std::atomic<int> count_;
  std::atomic<int> head_;
  Slot slots_[kSlots];
};

static SafeStack stack;

static void use_slots(int me) {
  for (int round = 0; round < kRounds; round++) {
    int slot;
    while ((slot = stack.pop()) < 0) std::this_thread::yield();
    stack.owner(slot) = me;
    assert(stack.owner(slot) == me);
    stack.push(slot);
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) threads.emplace_back(use_slots, i);
  for (auto& thread : threads) thread.join();
}

// SPDX-License-Identifier: Apache-2.0
