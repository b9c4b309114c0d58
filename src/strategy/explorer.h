// SPDX-License-Identifier: Apache-2.0
// Who explores all schedules of a program, and knows when there is none left.
#pragma once

#include <cstdint>

#include "src/schedule/exploration.h"

namespace jostle {

inline constexpr channel::Exploration kNothingExplored = {};

class Explorer {
 public:
  virtual ~Explorer() = default;
  virtual channel::Exploration exploration() const = 0;
  // Runs differ by more than their schedules: the program draws its input. False: there is no way
  // to explore it then.
  virtual bool inputs_vary() = 0;
  // Values that the program draws are choices of its own, and explored like all others.
  virtual bool enumerates_draws() const { return false; }
  // The graph of what has been explored, if it is to be drawn at the end.
  virtual void keep_graph() {}
  virtual uint32_t draw_graph(channel::GraphNode* /*to*/, uint32_t /*room*/) const { return 0; }
};

}  // namespace jostle
