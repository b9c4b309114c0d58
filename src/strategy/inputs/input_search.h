// SPDX-License-Identifier: Apache-2.0
// The search for inputs: new ones, changes of those that showed something new, and, as often, the
// same ones again, because a promising input deserves more than one schedule.
//
// An input is kept when its run brought coverage that no run had before: pairs of a write and a
// read that observed it, features of the code. What the program compared is used in two ways. A
// draw that was compared with something becomes that something. And where what is compared depends
// on a draw in a straight line, like `4 * i + 68 == 0`, the line is found by moving the draw by one
// and looking at both sides again; then the draw that makes them equal is tried.
#pragma once

#include "src/base/engine_memory.h"
#include "src/strategy/compare/comparison_lines.h"
#include "src/strategy/inputs/input_source.h"
#include "src/strategy/inputs/input_values.h"
#include "src/strategy/inputs/small_scenarios.h"

namespace jostle {

class InputSearch final : public InputSource {
 public:
  explicit InputSearch(uint32_t worker = 0, uint32_t workers = 1) : small_(worker, workers) {}

  void begin(uint64_t seed) override;
  uint64_t draw(const channel::Draw& asked, uint32_t index) override;
  void after_run(const channel::RunRecord& run) override;

  uint32_t kept() const { return static_cast<uint32_t>(entries_.size()); }

 private:
  struct Entry {
    uint32_t first, count;  // in pool_
    uint32_t uses;
  };
  // One draw of an input is to get this value; an `is_probe` only asks what that does to what is
  // compared.
  struct Idea {
    uint32_t entry;
    uint32_t index;
    uint64_t value;
    bool is_probe;
  };
  void take_idea();
  void repeat_scenario();
  void note_scenario(const channel::RunRecord& run);
  void use_entry(bool change);
  void change_plan();
  void copy_to_plan(const Entry& entry);
  uint32_t choose_entry();
  void keep(const channel::RunRecord& run);
  void add_ideas(const channel::RunRecord& run, uint32_t entry);
  void solve(const channel::RunRecord& run);
  void add_idea(uint32_t entry, uint32_t index, uint64_t value, bool is_probe);

  InputValues values_;
  EngineVector<channel::Draw> plan_;  // of this run; behind it values are fresh
  EngineVector<channel::Draw> pool_;
  EngineVector<Entry> entries_;
  EngineVector<Idea> ideas_;
  size_t next_idea_ = 0;
  EngineVector<channel::Draw> scenario_;  // of a test of operations, and how often it is run again
  uint32_t scenario_left_ = 0, scenario_runs_ = 0;
  SmallScenarios small_;
  bool has_scenarios_ = false;  // that was seen
  bool is_small_ = false;       // this run has one that was planned
  // The straight line: the entry that is probed, and what it compared.
  uint32_t base_entry_ = UINT32_MAX;
  EngineVector<Difference> base_;
  EngineVector<Difference> now_;
  Idea probe_ = {};
  bool probing_ = false;
  uint64_t runs_ = 0;
  uint64_t examples_ = 0;  // that the property has
  bool repeats_ = false;   // this run is an input once more
};

}  // namespace jostle
