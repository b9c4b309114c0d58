// SPDX-License-Identifier: Apache-2.0
// The history of a run as data: which operations were called side by side, what they returned, and
// the nearest order in which they return what they should.
#pragma once

#include <cstdint>
#include <string>
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
  };
  std::vector<Operation> operations;
  std::vector<uint32_t> nearest;  // empty: not known
  uint32_t orders = 0;            // that were tried
  bool empty() const { return operations.empty(); }
};

HistoryModel history_of(const channel::RunRecord& record);

// "pop() = 1", "push(1)", "pop() waits for ever"
std::string text_of(const HistoryModel::Operation& operation);

}  // namespace jostle::report
