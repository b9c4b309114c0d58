// SPDX-License-Identifier: Apache-2.0
// Where the values that a property draws come from.
//
// Inputs are a stream of their own beside the schedule: the i-th draw of a run gets its value here,
// whichever thread asks. Like a Strategy this is a pure algorithm that decides before a run and
// learns after it, because the run may have a process of its own.
#pragma once

#include <cstdint>

#include "src/schedule/draw.h"
#include "src/schedule/run_record.h"

namespace jostle {

class InputSource {
 public:
  virtual ~InputSource() = default;
  // A new run begins.
  virtual void begin(uint64_t seed) = 0;
  // The value of the run's draw number `index`: one that fits what is asked for.
  virtual uint64_t draw(const channel::Draw& asked, uint32_t index) = 0;
  // The run is over; its record says what it drew and what that showed.
  virtual void after_run(const channel::RunRecord& /*run*/) {}
};

// What is given, as far as it goes and fits; behind it everything is as simple as can be.
class GivenInputs final : public InputSource {
 public:
  explicit GivenInputs(const channel::Draws& given) : given_(given) {}
  void begin(uint64_t) override {}
  uint64_t draw(const channel::Draw& asked, uint32_t index) override {
    return index < given_.count ? clamped(asked, given_.list[index].value) : simplest(asked);
  }

 private:
  const channel::Draws& given_;
};

}  // namespace jostle
