// SPDX-License-Identifier: Apache-2.0
// How many different executions the runs of a search were, where runs may differ in the order of
// operations that makes no difference: with weak memory a load that reads an old store is the same
// whether it is executed before or after the newer one.
//
// An execution is what each thread did, which store each atomic operation has read and the
// modification orders (the run's trail has that as a number), and the order of everything else that
// depends on each other: locks, plain accesses, other choices.
#pragma once

#include <cstdint>

#include "src/base/engine_memory.h"
#include "src/base/hash.h"
#include "src/base/index_table.h"
#include "src/strategy/dpor/action.h"
#include "src/strategy/dpor/footprint.h"

namespace jostle::dpor {

class DistinctExecutions {
 public:
  void begin_run() {
    sum_ = 0;
    objects_.clear();
    ordinals_.clear();
  }

  // An event, in the order of the run; `name` is that of its thread.
  void add(const Action& action, Footprint footprint, uint64_t name, const FootprintTable& table) {
    while (ordinals_.size() <= action.thread) ordinals_.push_back(0);
    const uint64_t event = scattered(combine(name, ++ordinals_[action.thread]));
    for (uint32_t i = 0; i < action.part_count; ++i) {
      const Touch& touch = table.touches(footprint)[i];
      while (objects_.size() <= touch.object) objects_.push_back({});
      Object& object = objects_[touch.object];
      if (!action.parts[i].is_weak) {
        uint64_t before = combine(object.last_write, event);
        if (touch.mode != Mode::read) before = combine(before, object.reads);
        if (touch.mode != Mode::add) before = combine(before, object.adds);
        sum_ += scattered(combine(table.object_name(touch.object), before));
        if (touch.mode == Mode::read) object.reads += event;
        if (touch.mode == Mode::add) object.adds += event;
      }
      if (touch.mode == Mode::write) object = {event, 0, 0};
    }
    for (uint32_t i = 0; i < action.choice_count; ++i) {
      if (action.choices[i].is_of_memory) continue;
      sum_ += scattered(combine(combine(event, i), action.choices[i].taken));
    }
  }

  // The run is over. `graph`: what atomic operations have read and where stores were placed.
  void end_run(uint64_t graph) {
    const uint64_t identity = combine(sum_, graph);
    const auto is_it = [&](uint32_t i) { return seen_[i] == identity; };
    if (table_.find(identity, is_it) != IndexTable::kNotThere) return;
    seen_.push_back(identity);
    table_.add(static_cast<uint32_t>(seen_.size()) - 1, [this](uint32_t i) { return seen_[i]; });
  }

  uint64_t count() const { return seen_.size(); }
  void clear() {
    seen_.clear();
    table_.clear();
  }

 private:
  struct Object {
    uint64_t last_write, reads, adds;
  };

  static uint64_t scattered(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
  }

  uint64_t sum_ = 0;
  EngineVector<Object> objects_;
  EngineVector<uint32_t> ordinals_;  // by thread
  EngineVector<uint64_t> seen_;
  IndexTable table_;
};

}  // namespace jostle::dpor
