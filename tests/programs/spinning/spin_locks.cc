// Correct algorithms whose threads spin: locks and barriers, chosen by the argument. Two or three
// threads each pass a few times and count without an atomic, so that a lock that does not exclude
// shows. Under any fair scheduler all of them come to their end.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 3;

struct Peterson {
  static constexpr int kThreads = 2;
  std::atomic<bool> wants[2] = {false, false};
  std::atomic<int> turn{0};
  void lock(int me) {
    wants[me] = true;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me) {
    }
  }
  void unlock(int me) { wants[me] = false; }
};

struct Filter {
  static constexpr int kThreads = 3;
  std::atomic<int> level[kThreads] = {0, 0, 0};
  std::atomic<int> victim[kThreads] = {-1, -1, -1};
  bool somebody_ahead(int me, int at) {
    for (int other = 0; other < kThreads; ++other) {
      if (other != me && level[other] >= at) return true;
    }
    return false;
  }
  void lock(int me) {
    for (int at = 1; at < kThreads; ++at) {
      level[me] = at;
      victim[at] = me;
      while (victim[at] == me && somebody_ahead(me, at)) {
      }
    }
  }
  void unlock(int me) { level[me] = 0; }
};

struct Bakery {
  static constexpr int kThreads = 3;
  std::atomic<bool> choosing[kThreads] = {false, false, false};
  std::atomic<int> number[kThreads] = {0, 0, 0};
  void lock(int me) {
    choosing[me] = true;
    int most = 0;
    for (auto& n : number) most = n > most ? n.load() : most;
    number[me] = most + 1;
    choosing[me] = false;
    for (int other = 0; other < kThreads; ++other) {
      while (choosing[other]) {
      }
      for (;;) {
        const int theirs = number[other], mine = number[me];
        if (theirs == 0 || theirs > mine || (theirs == mine && other >= me)) break;
      }
    }
  }
  void unlock(int me) { number[me] = 0; }
};

struct Szymanski {
  static constexpr int kThreads = 2;
  std::atomic<int> flag[2] = {0, 0};
  void lock(int me) {
    std::atomic<int>& mine = flag[me];
    std::atomic<int>& theirs = flag[1 - me];
    mine = 1;
    while (theirs >= 3) {
    }
    mine = 3;
    if (theirs == 1) {
      mine = 2;
      while (theirs != 4) {
      }
    }
    mine = 4;
    if (me == 1) {
      while (theirs >= 2) {
      }
    }
  }
  void unlock(int me) {
    if (me == 0) {
      // One look a time: between two it could go from 3 to 2 and be overlooked.
      for (int theirs = flag[1]; theirs == 2 || theirs == 3; theirs = flag[1]) {
      }
    }
    flag[me] = 0;
  }
};

struct Mcs {
  static constexpr int kThreads = 3;
  struct Node {
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> waits{false};
  };
  std::atomic<Node*> tail{nullptr};
  Node nodes[kThreads];
  void lock(int me) {
    Node& mine = nodes[me];
    mine.next = nullptr;
    mine.waits = true;
    if (Node* before = tail.exchange(&mine)) {
      before->next = &mine;
      while (mine.waits) {
      }
    }
  }
  void unlock(int me) {
    Node& mine = nodes[me];
    if (!mine.next) {
      Node* expected = &mine;
      if (tail.compare_exchange_strong(expected, nullptr)) return;
      while (!mine.next) {
      }
    }
    mine.next.load()->waits = false;
  }
};

struct Ticket {
  static constexpr int kThreads = 3;
  std::atomic<unsigned> next{0}, serving{0};
  void lock(int) {
    const unsigned mine = next++;
    while (serving != mine) std::this_thread::yield();
  }
  void unlock(int) { ++serving; }
};

struct BackOff {
  static constexpr int kThreads = 3;
  std::atomic_flag taken = ATOMIC_FLAG_INIT;
  void lock(int) {
    for (int pause = 1; taken.test_and_set(std::memory_order_acquire);
         pause = pause < 64 ? 2 * pause : 64) {
      for (int i = 0; i < pause; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    }
  }
  void unlock(int) { taken.clear(std::memory_order_release); }
};

// Who holds it reads an unchanged word more often than a spinner would.
struct HolderReads {
  static constexpr int kThreads = 2;
  std::atomic<int> taken{0}, word{0};
  void lock(int) {
    while (taken.exchange(1)) std::this_thread::yield();
    int sum = 0;
    for (int i = 0; i < 60; ++i) sum += word.load();
    word = sum + 1;
  }
  void unlock(int) { taken = 0; }
};

struct ReaderWriter {
  static constexpr int kThreads = 3;
  std::atomic<int> state{0};  // readers; -1: a writer
  void lock(int me) {
    if (me == 1) read();
    for (int free = 0; !state.compare_exchange_weak(free, -1); free = 0) {
    }
  }
  void read() {
    int readers = state.load();
    do {
      while (readers < 0) readers = state.load();
    } while (!state.compare_exchange_weak(readers, readers + 1));
    --state;
  }
  void unlock(int) { state = 0; }
};

template <typename Lock>
int contend() {
  static Lock lock;
  static int count = 0;
  std::vector<std::thread> threads;
  for (int me = 0; me < Lock::kThreads; ++me) {
    threads.emplace_back([me] {
      for (int i = 0; i < kRounds; ++i) {
        lock.lock(me);
        ++count;
        lock.unlock(me);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return count == Lock::kThreads * kRounds ? 0 : 1;
}

// Sense-reversing: the last one lets the others go.
int sense_barrier() {
  static std::atomic<int> left{3};
  static std::atomic<bool> sense{false};
  static std::atomic<int> arrived{0};
  static std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  for (int me = 0; me < 3; ++me) {
    threads.emplace_back([] {
      bool mine = false;
      for (int round = 1; round <= kRounds; ++round) {
        ++arrived;
        mine = !mine;
        if (--left == 0) {
          left = 3;
          sense = mine;
        } else {
          while (sense != mine) {
          }
        }
        if (arrived < 3 * round) wrong = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong ? 1 : 0;
}

// Takes one, tries the other, gives back and yields; gives up after many times.
bool takes_both(std::mutex& first, std::mutex& second) {
  for (int i = 0; i < 700; ++i) {
    const std::lock_guard lock(first);
    if (second.try_lock()) {
      second.unlock();
      return true;
    }
    std::this_thread::yield();
  }
  return false;
}

int gives_up() {
  std::mutex left, right;
  bool done[2] = {};
  std::thread threads[] = {
      std::thread([&] { done[0] = takes_both(left, right); }),
      std::thread([&] { done[1] = takes_both(left, right); }),
      std::thread([&] { const std::lock_guard lock(right); }),
  };
  for (std::thread& thread : threads) thread.join();
  return done[0] && done[1] ? 0 : 1;
}

struct Algorithm {
  const char* name;
  int (*run)();
};
constexpr Algorithm kAlgorithms[] = {
    {"peterson", contend<Peterson>},
    {"filter", contend<Filter>},
    {"bakery", contend<Bakery>},
    {"szymanski", contend<Szymanski>},
    {"mcs", contend<Mcs>},
    {"ticket", contend<Ticket>},
    {"back_off", contend<BackOff>},
    {"holder_reads", contend<HolderReads>},
    {"reader_writer", contend<ReaderWriter>},
    {"sense_barrier", sense_barrier},
    {"gives_up", gives_up},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--list") {
    for (const Algorithm& each : kAlgorithms) std::puts(each.name);
    return 0;
  }
  for (const Algorithm& each : kAlgorithms) {
    if (argc == 2 && std::strcmp(argv[1], each.name) == 0) return each.run();
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
