// SPDX-License-Identifier: Apache-2.0
// The history of a run as data: which operations were called side by side, what they returned, and
// the nearest order in which they return what they should.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/schedule/run_record.h"

namespace jostle::report {

struct HistoryModel {
  struct Operation {
    std::string thread;   // "T1"
    std::string call;     // "pop()"
    std::string result;   // "1"; empty: it returns nothing
    uint32_t column = 0;  // of its thread: 0 main
    uint32_t row = 0;     // below all that had returned when it was called
    bool called = false;
    bool returned = false;
    bool differs = false;      // in the nearest order it has another result
    std::string result_there;  // which; empty: nothing
    bool returns_there = false;
    bool was_stopped = false;   // in the middle, by a test of progress
    bool gets_nowhere = false;  // … and this is what it tests
  };
  // A test of progress that failed: all threads were stopped but that of `operation`, and of
  // `partner`.
  struct Test {
    Promise promise = Promise::none;  // none: it is about results
    uint32_t operation = 0;           // of `operations`
    uint32_t after = 0;               // its steps before the others were stopped
    std::string partner;              // "T2"; empty: nobody
    uint32_t turn = 0, partner_turn = 0;
    uint32_t bound = 0;  // 0: there is none
  };
  std::vector<Operation> operations;
  std::vector<uint32_t> nearest;  // empty: not known
  uint32_t orders = 0;            // that were tried
  uint32_t slack = 0;             // places by which operations may be elsewhere
  Test test;
  bool empty() const { return operations.empty(); }
};

HistoryModel history_of(const channel::RunRecord& record);

// "lock_free"
std::string_view name(Promise promise);

// "pop() = 1", "push(1)", "pop() waits for ever", "pop() is stopped",
// "pop() does not return"
std::string text_of(const HistoryModel::Operation& operation);

}  // namespace jostle::report
