// Data published by atomics of every order, with and without a race.
#include <atomic>
#include <barrier>
#include <memory>
#include <mutex>

#include "scenario.h"

static long data;
static std::atomic<int> flag;

// One thread publishes, the other looks once: most schedules see it published.
template <typename Publish, typename Observe>
static void publish(Publish publish, Observe observe) {
  together(
      [=] {
        data = 1;
        publish();
      },
      [=] {
        if (observe()) sink = data;
      });
}

SCENARIO(release_acquire, clean) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] { return flag.load(std::memory_order_acquire) == 1; });
}
SCENARIO(seq_cst, clean) {
  publish([] { flag = 1; }, [] { return flag == 1; });
}
SCENARIO(relaxed_relaxed, racy) {
  publish([] { flag.store(1, std::memory_order_relaxed); },
          [] { return flag.load(std::memory_order_relaxed) == 1; });
}
SCENARIO(release_relaxed, racy) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] { return flag.load(std::memory_order_relaxed) == 1; });
}
SCENARIO(relaxed_acquire, racy) {
  publish([] { flag.store(1, std::memory_order_relaxed); },
          [] { return flag.load(std::memory_order_acquire) == 1; });
}
SCENARIO(release_consume, clean) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] { return flag.load(std::memory_order_consume) == 1; });
}
SCENARIO(exchange_acq_rel, clean) {
  publish([] { flag.exchange(1, std::memory_order_acq_rel); },
          [] { return flag.exchange(2, std::memory_order_acq_rel) == 1; });
}
SCENARIO(fetch_add_release_acquire, clean) {
  publish([] { flag.fetch_add(1, std::memory_order_release); },
          [] { return flag.fetch_add(1, std::memory_order_acquire) == 1; });
}
SCENARIO(fetch_add_relaxed, racy) {
  publish([] { flag.fetch_add(1, std::memory_order_relaxed); },
          [] { return flag.fetch_add(1, std::memory_order_relaxed) == 1; });
}
SCENARIO(compare_exchange_right, clean) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] {
            int expected = 1;
            return flag.compare_exchange_strong(expected, 2, std::memory_order_acquire,
                                                std::memory_order_relaxed);
          });
}
SCENARIO(compare_exchange_fails_acquire, clean) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] {
            int expected = 7;
            flag.compare_exchange_strong(expected, 2, std::memory_order_acquire,
                                         std::memory_order_acquire);
            return expected == 1;
          });
}
SCENARIO(compare_exchange_fails_relaxed, racy) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] {
            int expected = 7;
            flag.compare_exchange_strong(expected, 2, std::memory_order_acq_rel,
                                         std::memory_order_relaxed);
            return expected == 1;
          });
}
SCENARIO(release_fence, clean) {
  publish(
      [] {
        std::atomic_thread_fence(std::memory_order_release);
        flag.store(1, std::memory_order_relaxed);
      },
      [] { return flag.load(std::memory_order_acquire) == 1; });
}
SCENARIO(acquire_fence, clean) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] {
            if (flag.load(std::memory_order_relaxed) != 1) return false;
            std::atomic_thread_fence(std::memory_order_acquire);
            return true;
          });
}
SCENARIO(both_fences, clean) {
  publish(
      [] {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        flag.store(1, std::memory_order_relaxed);
      },
      [] {
        if (flag.load(std::memory_order_relaxed) != 1) return false;
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return true;
      });
}
SCENARIO(fence_before_load, racy) {
  publish([] { flag.store(1, std::memory_order_release); },
          [] {
            std::atomic_thread_fence(std::memory_order_acquire);
            return flag.load(std::memory_order_relaxed) == 1;
          });
}
SCENARIO(fence_after_store, racy) {
  publish(
      [] {
        flag.store(1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
      },
      [] { return flag.load(std::memory_order_acquire) == 1; });
}
SCENARIO(release_sequence_rmw, clean) {
  // A third thread's relaxed read-modify-write goes on with the sequence.
  together(
      [] {
        data = 1;
        flag.store(1, std::memory_order_release);
      },
      [] {
        int expected = 1;
        flag.compare_exchange_strong(expected, 2, std::memory_order_relaxed);
      },
      [] {
        if (flag.load(std::memory_order_acquire) == 2) sink = data;
      });
}
SCENARIO(release_sequence_broken, racy) {
  // A relaxed store begins a new one, even by the same thread (C++20).
  publish(
      [] {
        flag.store(1, std::memory_order_release);
        flag.store(2, std::memory_order_relaxed);
      },
      [] { return flag.load(std::memory_order_acquire) == 2; });
}
SCENARIO(write_after_release, racy) {
  together(
      [] {
        flag.store(1, std::memory_order_release);
        data = 1;
      },
      [] {
        if (flag.load(std::memory_order_acquire) == 1) sink = data;
      });
}
SCENARIO(other_atomic, racy) {
  // The neighbour in the same eight bytes publishes nothing.
  static struct alignas(8) { std::atomic<int> one, two; } pair;
  together(
      [] {
        data = 1;
        pair.one.store(1, std::memory_order_release);
        pair.two.store(1, std::memory_order_relaxed);
      },
      [] {
        if (pair.two.load(std::memory_order_acquire) == 1) sink = data;
      });
}
SCENARIO(volatile_flag, racy) {
  static volatile int plain;
  publish([] { plain = 1; }, [] { return plain == 1; });
}
SCENARIO(atomics_only, clean) {
  const auto add = [] { flag.fetch_add(1, std::memory_order_relaxed); };
  together(add, add, [] { sink = flag.load(std::memory_order_relaxed); });
}
SCENARIO(plain_and_atomic, racy) {
  static int word;
  together([] { __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST); }, [] { sink = word; });
}
SCENARIO(plain_reads_and_atomic_reads, clean) {
  static int word = 3;
  together([] { sink = __atomic_load_n(&word, __ATOMIC_SEQ_CST); }, [] { sink = word; });
}
SCENARIO(spin_lock_of_flag, clean) {
  static std::atomic_flag locked = ATOMIC_FLAG_INIT;
  const auto add = [] {
    while (locked.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    data += 1;
    locked.clear(std::memory_order_release);
  };
  together(add, add, add);
}
SCENARIO(spin_lock_relaxed_clear, racy) {
  static std::atomic_flag locked = ATOMIC_FLAG_INIT;
  const auto add = [] {
    while (locked.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    data += 1;
    locked.clear(std::memory_order_relaxed);
  };
  together(add, add);
}
SCENARIO(ticket_lock, clean) {
  static std::atomic<int> next, serving;
  const auto add = [] {
    const int mine = next.fetch_add(1, std::memory_order_relaxed);
    while (serving.load(std::memory_order_acquire) != mine) std::this_thread::yield();
    data += 1;
    serving.store(mine + 1, std::memory_order_release);
  };
  together(add, add, add);
}
SCENARIO(atomic_wait, clean) {
  together(
      [] {
        data = 1;
        flag.store(1, std::memory_order_release);
        flag.notify_one();
      },
      [] {
        flag.wait(0, std::memory_order_acquire);
        sink = data;
      });
}
SCENARIO(atomic_wait_relaxed, racy) {
  together(
      [] {
        data = 1;
        flag.store(1, std::memory_order_relaxed);
        flag.notify_one();
      },
      [] {
        flag.wait(0, std::memory_order_relaxed);
        sink = data;
      });
}
SCENARIO(double_checked_wrong, racy) {
  static std::mutex mutex;
  static long* table;
  const auto use = [] {
    if (!table) {
      std::lock_guard lock(mutex);
      if (!table) table = new long(1);
    }
    sink = *table;
  };
  together(use, use);
}
SCENARIO(double_checked_right, clean) {
  static std::mutex mutex;
  static std::atomic<long*> table;
  const auto use = [] {
    long* known = table.load(std::memory_order_acquire);
    if (!known) {
      std::lock_guard lock(mutex);
      known = table.load(std::memory_order_relaxed);
      if (!known) table.store(known = new long(1), std::memory_order_release);
    }
    sink = *known;
  };
  together(use, use);
}
SCENARIO(seqlock_wrong, racy) {
  // The data itself is plain: reading it while it is written is a race, also when it is thrown
  // away.
  static std::atomic<unsigned> version;
  static long a, b;
  together(
      [] {
        version.fetch_add(1, std::memory_order_acquire);
        a = b = 1;
        version.fetch_add(1, std::memory_order_release);
      },
      [] {
        const unsigned before = version.load(std::memory_order_acquire);
        const long sum = a + b;
        std::atomic_thread_fence(std::memory_order_acquire);
        if (!(before & 1) && version.load(std::memory_order_relaxed) == before) sink = sum;
      });
}
SCENARIO(seqlock_right, clean) {
  static std::atomic<unsigned> version;
  static std::atomic<long> a, b;
  together(
      [] {
        version.fetch_add(1, std::memory_order_acquire);
        a.store(1, std::memory_order_relaxed);
        b.store(1, std::memory_order_relaxed);
        version.fetch_add(1, std::memory_order_release);
      },
      [] {
        const unsigned before = version.load(std::memory_order_acquire);
        const long sum = a.load(std::memory_order_relaxed) + b.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        if (!(before & 1) && version.load(std::memory_order_relaxed) == before) sink = sum;
      });
}
SCENARIO(message_passing_stack, clean) {
  struct Node {
    long value;
    Node* next;
  };
  static std::atomic<Node*> head;
  const auto push = [] {
    Node* node = new Node{1, head.load(std::memory_order_relaxed)};
    while (!head.compare_exchange_weak(node->next, node, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  };
  together(push, push, [] {
    Node* node = head.exchange(nullptr, std::memory_order_acquire);
    for (; node; node = node->next) sink = node->value;
  });
}
// So many accesses that what is presumed of memory in a first run is used up in the middle of it.
static std::atomic<int> long_lock;
static long long_table[300];
static long add_up() {
  long sum = 0;
  for (const long& entry : long_table) sum += *const_cast<const volatile long*>(&entry);
  return sum;
}
SCENARIO(long_critical_section, clean) {
  const auto work = [] {
    while (long_lock.exchange(1)) std::this_thread::yield();
    for (int i = 0; i < 20; ++i) sink = add_up();
    long_table[0] += 1;
    long_lock.store(0);
  };
  together(work, work);
}

int main(int argc, char** argv) { return run_scenario(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
