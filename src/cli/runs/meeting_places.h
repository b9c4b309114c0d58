// SPDX-License-Identifier: Apache-2.0
// Where threads meet: an access to memory that another thread touched last, one of the two writing.
// Not when their order is clear: what a thread did before it created the other, or after the other
// has ended.
//
// Works on the trace of a recorded run. Every byte remembers who touched it last and where in the
// code; both sides of a meeting count.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "src/schedule/run_record.h"

namespace jostle::cli {

struct MeetingPlace {
  uint64_t meetings = 0;
  uint64_t accesses = 0;       // to memory that threads meet in
  std::set<uint32_t> threads;  // that come here: number in order of creation
};

class Meetings {
 public:
  // The name of the function that a pc is in; empty: of no interest.
  using NameOf = std::function<const std::string&(uintptr_t pc)>;
  // `synchronisation`: operations on mutexes and the like count, too.
  explicit Meetings(bool synchronisation) : synchronisation_(synchronisation) {}

  void add(const channel::RunRecord& record, const NameOf& name_of);

  const std::map<std::string, MeetingPlace>& places() const { return places_; }

 private:
  bool counts(const channel::TraceEvent& event) const;

  bool synchronisation_;
  std::map<std::string, MeetingPlace> places_;
};

}  // namespace jostle::cli
