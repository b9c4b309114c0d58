// SPDX-License-Identifier: Apache-2.0
// A thread that may be waiting in a loop, watched round by round: see schedule/waiting_loops.h. For
// strategies that explore all schedules; the others have spin_detector.h, which guesses.
#pragma once

#include <cstdint>

namespace jostle::rt {

// What is copied with a thread, whatever it does.
struct LoopState {
  uint32_t read_count = 0;
  uint32_t steps = 0;
  uint32_t locks = 0;     // that it got
  uint32_t failures = 0;  // to get one
  uint32_t head_count = 0;
  // It stands in front of an operation that is a whole round: does not go on before the location
  // has another value than those with which it comes back.
  bool awaits = false;
  // It waits for the rest of this run, because what it looked at was not right: other runs have it
  // right.
  bool is_blocked = false;
  // … because it would do nothing but ask for the time until others have gone on.
  bool asks_for_time = false;
  // … because std::lock did not get all locks.
  bool locks_all = false;
  // In its rounds it also waits, until a time-out strikes, for what no memory shows: a descriptor,
  // a semaphore, a signal.
  bool waits_for_news = false;
  uint64_t news_seen = 0;  // that others had for anybody when it began to wait in the loop
  // How many accesses a function of a library that stands for its own code here has made so far.
  // Where in it a thread is neither its stack nor its registers tell.
  uint32_t library_accesses = 0;
  static constexpr uint32_t kMostLibraryAccesses = 1024;  // then it goes round in circles itself
  // A plain write of its that it has begun, and what was there before: if that is there afterwards,
  // too, nothing has changed (an index of the other side that is looked up again).
  uintptr_t written = 0;
  uint32_t written_size = 0;  // 0: none
  uint64_t written_before = 0;
  // Time has passed since, which it does only when nobody can run: no other run has what came of
  // that before this thread looked.
  bool time_has_passed = false;
};

struct LoopWatch : LoopState {
  static constexpr uint32_t kMostReads = 32;
  static constexpr uint32_t kMostHeads = 12;  // every place that a loop reads at may be one

  struct Read {
    uintptr_t pc, object;
    uint32_t size;  // 0: a lock that it has taken or given back, which has no value
    uint64_t value;
    uint32_t held;  // locks that it held before
  };
  // The thread has come here, in this state, and has only read since, or given back what it took.
  // Inner loops behind the outer ones.
  struct Head {
    uintptr_t pc, object;
    uint64_t state;
    uint32_t first_read, first_step, first_lock, first_failure;
    // How often it has come here since, and one of the states in which it did: one that looks
    // differently in each of several rounds (it counts up to ten, and then yields) is back where it
    // was after some more. The state after 1, 2, 4, … rounds: a circle of any length is met.
    uint32_t rounds;
    uint64_t older_state;
    uint32_t older_read, older_step, older_lock, older_failure;
  };

  Read reads[kMostReads];  // since it last changed something; the last ones
  Head heads[kMostHeads];

  LoopWatch() = default;
  LoopWatch(const LoopWatch& other) : LoopState(other) { *this = other; }
  // Most threads have no reads and no heads, which are a third of what a thread is.
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment)
  LoopWatch& operator=(const LoopWatch& other) {
    LoopState::operator=(other);
    for (uint32_t i = 0; i < read_count && i < kMostReads; ++i) reads[i] = other.reads[i];
    for (uint32_t i = 0; i < head_count; ++i) heads[i] = other.heads[i];
    return *this;
  }

  void changed_something() {
    read_count = head_count = written_size = 0;
    waits_for_news = false;
  }
  bool in_loop() const { return head_count != 0; }
  // It is going to write, with nobody in between; `value_at(address, size)` is what memory holds.
  template <typename ValueAt>
  void begins_write(uintptr_t address, uint32_t size, const ValueAt& value_at) {
    ends_write(value_at);
    if (size > sizeof written_before) return changed_something();
    written = address;
    written_size = size;
    written_before = value_at(address, size);
  }
  // It has; before others go on.
  template <typename ValueAt>
  void ends_write(const ValueAt& value_at) {
    if (written_size == 0) return;
    const bool is_same = value_at(written, written_size) == written_before;
    written_size = 0;
    if (!is_same) changed_something();
  }
  uint64_t state() const { return in_loop() ? heads[head_count - 1].state : 0; }

  // It was here before, and holds no lock that it has taken since.
  bool is_back(uintptr_t pc, uintptr_t object, uint32_t held) const {
    const uint32_t known = read_count < kMostReads ? read_count : kMostReads;
    for (uint32_t i = 1; i <= known; ++i) {
      const Read& read = reads[(read_count - i) % kMostReads];
      if (read.held < held) return false;
      if (read.pc == pc && read.object == object && read.held == held) return true;
    }
    return false;
  }
  // Its last operation was to try to get a lock: it only looked at it, and found this there.
  void failed_to_lock(uint32_t value) {
    ++failures;
    if (read_count == 0) return;
    Read& last = reads[(read_count - 1) % kMostReads];
    last.size = sizeof value;
    last.value = value;
  }
  void add(const Read& read) { reads[read_count++ % kMostReads] = read; }

  // Back at a head that it has passed, or at a new one. Null: it was not there before.
  const Head* find(uintptr_t pc, uintptr_t object) const {
    for (uint32_t i = 0; i < head_count; ++i) {
      if (heads[i].pc == pc && heads[i].object == object) return &heads[i];
    }
    return nullptr;
  }
  // Has it been at this head in this state? Then that is where the head's round began.
  bool has_been(const Head& place, uint64_t state) {
    Head& head = heads[&place - heads];
    if (head.state == state) return true;
    if (head.rounds == 0 || head.older_state != state) return false;
    head.state = state;
    head.first_read = head.older_read;
    head.first_step = head.older_step;
    head.first_lock = head.older_lock;
    head.first_failure = head.older_failure;
    return true;
  }
  void enter(uintptr_t pc, uintptr_t object, uint64_t state) {
    Head head = {pc, object, state, read_count, steps, locks, failures, 0, 0, 0, 0, 0, 0};
    if (const Head* outer = find(pc, object)) {
      head_count = static_cast<uint32_t>(outer - heads);
      head.rounds = outer->rounds + 1;
      if ((head.rounds & outer->rounds) == 0) {
        head.older_state = outer->state;
        head.older_read = outer->first_read;
        head.older_step = outer->first_step;
        head.older_lock = outer->first_lock;
        head.older_failure = outer->first_failure;
      } else {
        head.older_state = outer->older_state;
        head.older_read = outer->older_read;
        head.older_step = outer->older_step;
        head.older_lock = outer->older_lock;
        head.older_failure = outer->older_failure;
      }
    }
    if (head_count == kMostHeads) head_count = 0;
    heads[head_count++] = head;
  }
};

}  // namespace jostle::rt
