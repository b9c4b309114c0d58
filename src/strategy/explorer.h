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
  // Between runs. False: nothing is left, or other workers have all of it for now.
  virtual bool has_work() { return true; }
  // Runs differ by more than their schedules: the program draws its input. False: there is no way
  // to explore it then.
  virtual bool inputs_vary() = 0;
  // Values that the program draws are choices of its own, and explored like all others.
  virtual bool enumerates_draws() const { return false; }
  // Between runs: all that another process needs to go on from here, into `room` bytes. How many
  // there are; 0: that cannot be, or there is no room.
  virtual uint64_t save(uint8_t* /*to*/, uint64_t /*room*/) { return 0; }
  // Before the first run. False: it is damaged. The bytes stay as they are until a run has shown
  // that they can be gone on with.
  virtual bool load(const uint8_t* /*from*/, uint64_t /*size*/) { return false; }
  // The graph of what has been explored, if it is to be drawn at the end.
  virtual void keep_graph() {}
  virtual uint32_t draw_graph(channel::GraphNode* /*to*/, uint32_t /*room*/) const { return 0; }
  // How many executions are not in it.
  virtual uint64_t left_out_of_graph() const { return 0; }
};

}  // namespace jostle
