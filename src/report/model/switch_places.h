// SPDX-License-Identifier: Apache-2.0
// Where a thread is preempted, by what another build of the program has, too.
//
// A replay file counts the events of a thread, and notes the address of the one that a preemption
// stands before. Both are another build's: an edit in front of it moves the address, a new access
// in front of it the number. The name of the place lasts: its function, the text of its line, and
// which of the thread's operations of the same kind on that line it is. Numbers in the text do not
// count, as in a failure's identity (identity.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/report/symbols/symbolizer.h"
#include "src/report/words/source_lines.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

struct SwitchName {
  std::string function = {};  // empty: the place has no name
  std::string line = {};      // its text; empty: no source was there
  uint64_t nth = 0;           // from 1; 0: not known

  bool known() const { return !function.empty(); }
};

// The places of a run's operations.
class PlaceNames {
 public:
  explicit PlaceNames(Symbolizer& symbols) : symbols_(symbols) {}

  struct Place {
    uint32_t function;  // the same for all its lines
    std::string name, line;
  };
  // An index: the same for all addresses of a line in a function.
  uint32_t at(uintptr_t pc);
  const Place& operator[](uint32_t index) const { return places_[index]; }

  std::optional<uint32_t> find(const std::string& function, const std::string& line) const;
  std::optional<uint32_t> find_function(const std::string& name) const;

 private:
  Symbolizer& symbols_;
  SourceLines sources_;
  std::unordered_map<uintptr_t, uint32_t> by_pc_;
  std::map<std::string, uint32_t> functions_;
  std::map<std::pair<std::string, std::string>, uint32_t> by_name_;  // function and normal text
  std::vector<Place> places_;
};

// What the places are called at which the segments of a schedule end. `record` is the run of it;
// without its trace it is not known which one of a thread's operations on a line it is. Segments
// that are no preemption get no name.
std::vector<SwitchName> name_switches(std::span<const channel::Segment> segments,
                                      const channel::RunRecord& record, Symbolizer& symbols);

// The operations of one recorded run by the names of their places.
class SwitchPlaces {
 public:
  SwitchPlaces(const channel::RunRecord& record, Symbolizer& symbols);

  // The thread's event at the place of that name, behind its event `after`: the n-th of its kind
  // on the line; where the code was edited, the one on the line or else in the function that is
  // nearest to the number `near`. Nothing: the thread does not come to the function.
  std::optional<uint64_t> find(uint32_t thread, OpKind kind, const SwitchName& name, uint64_t near,
                               uint64_t after) const;

 private:
  // Numbers of events, in order.
  using Events = std::vector<uint64_t>;
  using Index = std::unordered_map<uint64_t, Events>;

  PlaceNames names_;
  Index of_kind_, of_line_, of_function_;
};

}  // namespace jostle::report
