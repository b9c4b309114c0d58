// SPDX-License-Identifier: Apache-2.0
// What the operations of a scenario returned when one thread called all of them, in one order after
// the other: a tree of orders, in which a way from the root has the results of a history if some
// such order explains it.
//
// It knows nothing of threads and of waiting (that is SerialTree's), and is asked first because
// such an order costs a twentieth of a run. Who finds no way here has shown nothing: the object may
// care who calls it, or an operation would have had to wait. Pure: somebody else calls.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/schedule/history/operation_history.h"

namespace jostle {

class OrderTree {
 public:
  enum class Answer {
    right,
    order,    // order() is to be run, its results go to add()
    unknown,  // no such order, or more than are tried
  };
  // Of a history all of whose operations have returned.
  Answer judge(const History& history);
  const EngineVector<uint8_t>& order() const { return order_; }
  // The first `count` operations of order() returned these results, by the number of the operation;
  // the next one did not return.
  void add(const uint64_t* results, uint32_t count);

  size_t size() const { return nodes_.size(); }
  void clear();

 private:
  // Orders that are called for one question: mostly the first is the one. With slack many are, and
  // runs would show no others.
  static constexpr uint32_t kMostPerQuestion = 100;
  static constexpr uint32_t kMostWithSlack = 20'000;

  struct Node {
    uint32_t child, sibling;  // 0: none
    uint32_t operation;
    bool returns;
    uint64_t result;
  };
  enum class Found { none, way, order };

  uint32_t child_of(uint32_t node, uint32_t operation) const;
  // The operation that returned first among those that may come next and were not `tried`.
  static uint32_t next(const History& history, uint64_t called, uint64_t tried, size_t place);
  Found search(uint32_t node, const History& history, uint64_t called);
  void complete(const History& history, uint64_t called);

  EngineVector<Node> nodes_;
  EngineVector<uint8_t> order_;
  EngineVector<uint32_t> order_of_slack_;
  uint64_t question_ = 0;
  uint32_t asked_ = 0;
};

}  // namespace jostle
