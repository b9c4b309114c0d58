// SPDX-License-Identifier: Apache-2.0
// The steps of a run by names that mean the same in another run of the program.
//
// Who does a step is an actor: a thread, known by its spawn path, or a callback that an event loop
// called in it. Callbacks come in another order in another run, and a worker of a pool does
// whichever job comes; so a callback is known by its function, by what triggered it, and by how
// many calls of it came before. The steps of an actor are counted, its accesses to memory apart
// from all else: whether a lock or a barrier has to wait changes only the latter.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/report/model/run_callbacks.h"
#include "src/report/model/run_trace.h"
#include "src/report/symbols/symbolizer.h"

namespace jostle::report {

struct Actor {
  uint64_t path = 0;                               // of the thread; 0 for callbacks
  std::string callback = {};                       // "" for threads
  uint32_t call = 0;                               // its number among these, from 0
  bool accesses = true;                            // memory; false: what else it does
  auto operator<=>(const Actor&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct StepName {
  Actor actor;
  uint32_t number = 0;  // among the actor's steps
  bool operator==(const StepName&) const = default;
};

inline constexpr uint32_t kNoStep = UINT32_MAX;
inline constexpr uint32_t kNoActor = UINT32_MAX;

class StepNames {
 public:
  StepNames(const RunTrace& trace, Symbolizer& symbols);

  // Actors in the order in which they appear.
  size_t actors() const { return actors_.size(); }
  const Actor& actor(uint32_t index) const { return actors_[index].name; }
  uint32_t find(const Actor& name) const;
  std::span<const uint32_t> steps_of(uint32_t actor) const { return actors_[actor].steps; }
  // Null: a thread.
  const Callback* callback(uint32_t actor) const;
  bool is_called_again(uint32_t actor) const;  // there are several calls of this callback

  uint32_t actor_of(uint32_t step) const { return steps_[step].actor; }
  StepName name(uint32_t step) const {
    return {actors_[steps_[step].actor].name, steps_[step].number};
  }
  // kNoStep: this run did not get so far.
  uint32_t find(const StepName& name) const;

 private:
  struct Entry {
    Actor name;
    uint32_t callback;  // index into callbacks_; kNoActor: a thread
    std::vector<uint32_t> steps = {};
  };
  struct Place {
    uint32_t actor, number;
  };
  uint32_t actor_for(const Actor& name, uint32_t callback);

  std::vector<Callback> callbacks_;
  std::vector<Entry> actors_;
  std::map<Actor, uint32_t> index_;
  std::vector<Place> steps_;
};

}  // namespace jostle::report
