// SPDX-License-Identifier: Apache-2.0
// What a run and the process that knows the right results say to each other, in memory that both
// have: the run asks about its history when it has not been seen before, and waits.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/base/probe.h"
#include "src/schedule/history/operation_history.h"
#include "src/schedule/history/result_of_run.h"

namespace jostle {

enum class Judgement : uint32_t {
  right,
  wrong,
  unknown,  // too many orders, or the program does not do the same twice
};

// Keys of histories that are right. One process writes; what does not fit is asked again.
class KnownHistories {
 public:
  bool contains(uint64_t key) const {
    return keys_[place_of(key, key)].load(std::memory_order_relaxed) == key;
  }
  void insert(uint64_t key) {
    std::atomic<uint64_t>& at = keys_[place_of(key, 0)];
    if (at.load(std::memory_order_relaxed) == 0) at.store(key, std::memory_order_relaxed);
  }

 private:
  static constexpr uint64_t kSize = 1 << 20;
  static constexpr uint64_t kProbes = 8;  // no more: the table may be full

  // Where `wanted` is among the places for the key, or the last of them.
  uint64_t place_of(uint64_t key, uint64_t wanted) const {
    uint64_t left = kProbes;
    return probe(key, kSize, [&](uint64_t place) {
      return keys_[place].load(std::memory_order_relaxed) == wanted || --left == 0;
    });
  }
  std::atomic<uint64_t> keys_[kSize];
};

struct ReferenceExchange {
  enum State : uint32_t { idle, asked, answered };
  enum Question : uint32_t {
    is_right,
    and_why,      // is it right, and which order is nearest?
    how_long_is,  // the longest operation of the scenario, undisturbed: `longest`
    which_words,  // are there in results, and the same in every run: those of `result`
  };
  std::atomic<uint32_t> state;  // a futex
  int32_t pid;
  Question question;
  Judgement judgement;
  uint32_t is_exact;  // somebody explores all executions: nothing is taken for granted
  uint32_t longest;   // events
  // Of functions that are to look atomic, instead of a history.
  ResultOfRun result;
  ResultVerdict result_verdict;
  History history;
  HistoryVerdict verdict;
  std::atomic<uint64_t> scenarios;  // that it has seen
  KnownHistories known;
  channel::Draws draws;  // that make the scenario
};

}  // namespace jostle
