// SPDX-License-Identifier: Apache-2.0
// A reduced search that is divided into units, so that any number of searches can explore it who
// hear of each other only now and then, may die, and may do the same twice.
//
// It goes in rounds. A round has some units, each a ticket of a WorkTree or what is left of one
// from the round before. Each is explored for a number of runs (UnitExplorer); the answers of all
// of them are the next round:
//   1. what units have found for others is inserted, while all tickets are as they were when the
//      units were made: what a unit left out because of the tree, or because of something else that
//      it inserted, is covered then, too
//   2. tickets are settled, and states that were published become places
//   3. tickets whose units have come to their end are finished
//   4. what waits at places becomes units
// That is one of the orders in which workers with a lock could have done the same, so that the
// rules of work_tree.h hold.
//
// An answer depends on its unit alone, and a round on the answers before: workers with the same
// answers have the same units in the same order, and need not agree on anything else.
#pragma once

#include <cstdint>

#include "src/schedule/exploration.h"
#include "src/strategy/dpor/choice_paths.h"
#include "src/strategy/dpor/footprint.h"
#include "src/strategy/dpor/work/unit_bytes.h"
#include "src/strategy/dpor/work/work_tree.h"

namespace jostle::dpor {

// Names of threads, numbered as they come.
class NumberedThreads final : public ThreadNames {
 public:
  uint64_t name_of(Thread thread) const override { return names_[thread]; }
  Thread thread_of(uint64_t name) override;
  void clear() { names_.clear(); }

 private:
  EngineVector<uint64_t> names_;
};

class DividedSearch {
 public:
  struct Sizes {
    // So many units at a time: so many searches can take part.
    uint32_t most_units = 64;
    // Runs of a unit in the first round; twice as many in the next, and so on.
    uint64_t first_runs = 256, most_runs = 1 << 15;
  };

  explicit DividedSearch(const Sizes& sizes) : sizes_(sizes) { restart(); }
  DividedSearch() : DividedSearch(Sizes{}) {}
  void restart();

  uint32_t round() const { return round_; }
  uint32_t unit_count() const { return static_cast<uint32_t>(units_.size()); }
  // For UnitExplorer.
  void write_unit(uint32_t unit, ByteWriter& to);
  // Names all that was answered so far and the unit: others with the same answers have the same.
  uint64_t identity(uint32_t unit) const;

  struct Bytes {
    const uint8_t* begin;
    size_t size;
  };
  // Can this be the answer of a unit? Its counts.
  bool is_answer(const Bytes& answer, UnitCounts* counts);
  // The answers of all units of the round, in their order, each of which is one.
  void end_round(const Bytes* answers);

  bool is_finished() const { return is_finished_; }
  // Of all rounds so far. Not finished: `estimate` says how much there may be.
  channel::Exploration progress();

 private:
  struct Unit {
    uint32_t ticket;
    UnitKind kind;
    size_t first, size;  // in contents_
  };
  // An answer, as far as it has been read.
  struct Answer {
    UnitCounts counts;
    bool has_first_step = false;
    Step first_step = {};
    size_t rest_size = 0;
  };
  enum class Part : uint8_t { look, insert, publish };

  bool read(const Bytes& bytes, Part part, Unit* unit, Answer& answer);
  void add_unit(uint32_t ticket, UnitKind kind, const uint8_t* bytes, size_t size);
  void add_work();
  void make_units();
  void begin_alone();

  Sizes sizes_;
  FootprintTable footprints_;
  ChoicePaths paths_;
  NumberedThreads threads_;
  WorkTree tree_{&footprints_, &paths_};
  EngineVector<Unit> units_, units_before_;
  EngineVector<uint8_t> contents_;
  EngineVector<Answer> answers_;
  uint32_t round_ = 0;
  uint64_t runs_ = 0;  // of a unit of this round
  uint64_t identity_ = 0;
  bool is_alone_ = false;  // it cannot be divided
  bool is_finished_ = false;
  UnitCounts sum_;
  Work work_;
  PublishedState state_;
  EngineVector<Step> sequence_;
  EngineVector<dpor::Part> parts_;
  ByteWriter writer_;
};

}  // namespace jostle::dpor
