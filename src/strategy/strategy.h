// SPDX-License-Identifier: Apache-2.0
// The interface of a search strategy: given who could run and what each is about to do, pick one.
//
// A strategy is a pure algorithm: no system calls, no globals, no memory from the target's heap. It
// sees threads as small numbers (ThreadId) that index arrays, and operations as opaque values with
// a few questions (`races`, `only_reads`). One file per strategy; a line in the table of
// strategy.cc makes it known by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/schedule/exploration.h"
#include "src/schedule/hub.h"
#include "src/schedule/operation.h"
#include "src/schedule/run_record.h"
#include "src/strategy/enabled_set.h"
#include "src/strategy/parameters.h"

namespace jostle {

// What a strategy may look at when it picks.
struct View {
  const EnabledSet* candidates;  // never empty; threads that only spin are left out if they can be
  ThreadId current;              // who ran last; it may or may not be a candidate
  void* source;
  const Operation& (*pending_of)(void* source, ThreadId);
  uint64_t (*events_of)(void* source, ThreadId);
  uint64_t reads_from = 0;  // hash of which reads observed which writes so far, in any order
  uint64_t (*last_write_of)(void* source, ThreadId) = nullptr;
  uint64_t (*path_of)(void* source, ThreadId) = nullptr;
  uint64_t (*value_of)(void* source, ThreadId) = nullptr;

  // The event that last wrote what the thread's pending operation touches.
  uint64_t last_write(ThreadId id) const { return last_write_of(source, id); }
  // Which thread it is, by what is the same in every run: a hash of its spawn path (Event::thread).
  uint64_t path(ThreadId id) const { return path_of(source, id); }
  // What the memory that it touches holds now, up to eight bytes of it.
  uint64_t value(ThreadId id) const { return value_of(source, id); }
  const Operation& pending(ThreadId id) const { return pending_of(source, id); }
  uint64_t events(ThreadId id) const { return events_of(source, id); }
};

// A read or write that has been executed, by what is the same in every run; the addresses are those
// of this run.
struct Event {
  uint64_t name, site;
  uint64_t thread;  // hash of its spawn path
  uintptr_t object, pc;
  OpKind kind;
  bool concurrent;     // the last access of another thread there could have come later
  bool alone = false;  // there was no other thread at the time
};

// The first runs of a campaign are patient: see Strategy::be_patient.
inline constexpr uint64_t kPatientRuns = 16;

class Strategy {
 public:
  virtual ~Strategy() = default;
  // A new run begins; all state that is not meant to last over the campaign starts afresh.
  virtual void begin(uint64_t seed) = 0;
  // Which of the candidates runs next. Called when there are at least two. kNoThread: the strategy
  // wants the run to end here.
  virtual ThreadId pick(const View& view) = 0;
  // A choice that is not about threads: a number below `alternatives` (at least 2).
  virtual uint32_t choose(ChoiceKind kind, uint32_t alternatives) = 0;
  // Of which of `count` ready things an event loop is told next, by names that are the same in
  // every run; `count` itself, if it `may_stop`: of no more now.
  virtual uint32_t choose_ready(const uint64_t* /*names*/, uint32_t count, bool may_stop) {
    return choose(ChoiceKind::ready, count + may_stop);
  }
  // Before that: these are ready, and a timer is not yet due. 0: the loop is told now; 1: of them
  // and of the timer when it is due; 2, if it is an alternative: then of the timer alone.
  virtual uint32_t choose_late(const uint64_t* /*names*/, uint32_t /*count*/,
                               uint32_t alternatives) {
    return choose(ChoiceKind::late, alternatives);
  }
  // Whether, in the run that has just begun, time-outs strike only when nobody else can run or
  // enough time has passed, as they do on an idle machine.
  virtual void be_patient(bool) {}
  // Whether event loops may learn late that their time is up: then ChoiceKind::held_up is asked.
  virtual bool holds_up() const { return false; }
  // `id` has been picked (or was the only one) and executes `op` now.
  virtual void executed(const View& /*view*/, ThreadId /*id*/, const Operation& /*op*/) {}
  virtual void thread_created(ThreadId /*parent*/, ThreadId /*child*/) {}
  // The run is over: what a strategy wants to know in the next ones it learns here. Nothing else of
  // what it notes during a run lasts, because the run may have had a process of its own.
  virtual void after_run(const channel::RunRecord& /*run*/) {}

  // A guided strategy is asked, whenever a thread goes on, before which of its events it must be
  // asked again even if that is no scheduling point.
  virtual bool is_guided() const { return false; }
  virtual uint64_t stop_for(ThreadId) const { return UINT64_MAX; }

  // A strategy may ask for the names of locations and places (Operation::name, site), and is then
  // shown every read and write that others can notice, as it is executed.
  virtual bool wants_names() const { return false; }
  virtual void observed(const Event&, bool /*writes*/) {}
  // A run begins that another strategy decides: this one is only shown its events.
  virtual void begin_watching() {}
  virtual void after_watching(const channel::RunRecord& /*run*/) {}
  // A read has observed a write (both abstract events) for the first time in the campaign.
  virtual void paired(uint64_t /*write*/, uint64_t /*read*/) {}

  // For strategies that stand around others: who of them decides the run that has just begun, and
  // who is shown its events. Both are asked for at its every step, and not through us.
  virtual Strategy* decider() { return this; }
  virtual Strategy* observer() { return this; }

  // May waits of its runs end without a signal? Not where every schedule is one of those that were
  // asked for.
  virtual bool wakes_spuriously() const { return false; }
  // Has it run all schedules, are some in which waits end without a signal tried, too?
  virtual bool ends_with_spurious_waits() const { return false; }

  // What this run is called in reports when it fails: the strategy's name, or that of the one of
  // several that chose the schedule. Empty: as the user called it.
  virtual std::string_view name_of_run() const { return {}; }
  // Which strategies have which share of the runs, "rff 52 %, surw 20 %", into `room` bytes.
  virtual void describe_shares(char* /*to*/, size_t /*room*/) const {}
  // There are more scheduling points than runs so far had.
  virtual void points_added() {}
  // Runs differ by more than their schedules: the program draws its input. False: the strategy
  // cannot work then.
  virtual bool inputs_vary() { return true; }

  // Exhaustive strategies: how far they are, and the graph of what they have explored.
  virtual channel::Exploration exploration() const { return {0, 0, -1, 0, 0}; }
  virtual void keep_graph() {}
  virtual uint32_t draw_graph(channel::GraphNode* /*to*/, uint32_t /*room*/) const { return 0; }
};

// What the user gives a strategy to begin with.
struct StrategyInput {
  const uint8_t* bytes = nullptr;
  size_t byte_count = 0;
  const channel::Schedule* schedule = nullptr;
  Hub* hub = nullptr;  // what all workers of the campaign share; null: there are no others
  uint32_t worker = 0;
};

// Makes the strategy that `spec` names ("pos", "pct:d=5"). Null when something is wrong with it;
// see parse_strategy. Lives in engine memory and is never destroyed; keeps nothing of `input`.
Strategy* make_strategy(std::string_view spec, const StrategyInput& input = {});

// All strategies, ended by an entry with an empty name.
const StrategyInfo* known_strategies();

}  // namespace jostle
