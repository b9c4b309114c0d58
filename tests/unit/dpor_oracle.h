// SPDX-License-Identifier: Apache-2.0
// All executions of a program of dpor_machine.h: by the reduced search, and by an oracle that tries
// all interleavings and counts those with the same happens-before once.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/base/hash.h"
#include "tests/unit/dpor_machine.h"
#include "tests/unit/long_tests.h"

namespace jostle::dpor_machine {

// Dependence by a definition of its own, to be independent of footprint.cc.
inline bool commute(Act a, bool a_took, Act b, bool b_took) {
  const auto only_reads = [](Act act, bool took) {
    return act == Act::read || act == Act::await || !took;
  };
  const auto comes_or_goes = [](Act act) {
    return act == Act::share || act == Act::try_share || act == Act::unshare;
  };
  if (only_reads(a, a_took) && only_reads(b, b_took)) return true;
  if (only_reads(a, a_took) || only_reads(b, b_took)) return false;
  return (a == Act::post && b == Act::post) || (comes_or_goes(a) && comes_or_goes(b));
}

inline bool commute(const Record& a, const Record& b) {
  for (const dpor::Part& mine : a.parts) {
    for (const dpor::Part& other : b.parts) {
      if (mine.object != other.object) continue;
      if (!commute(mine.act, mine.took_effect, other.act, other.took_effect)) return false;
    }
  }
  return true;
}

// The happens-before of a run, as a text.
inline std::string trace_of(const Machine& machine) {
  const std::vector<Record>& records = machine.records();
  std::vector<std::vector<int>> clocks;
  std::vector<std::string> by_thread(machine.threads());
  std::vector<int> last(machine.threads(), -1), counts(machine.threads(), 0);
  for (size_t j = 0; j < records.size(); ++j) {
    const Record& record = records[j];
    const int thread = static_cast<int>(record.action.thread);
    std::vector<int> clock(machine.threads(), 0);
    for (size_t e = 0; e < j; ++e) {
      const bool is_before = records[e].action.thread == record.action.thread ||
                             e == record.action.enabler || !commute(records[e], record);
      if (!is_before) continue;
      for (int t = 0; t < machine.threads(); ++t) clock[t] = std::max(clock[t], clocks[e][t]);
    }
    clock[thread] = ++counts[thread];
    std::string& text = by_thread[thread];
    for (const dpor::Choice& choice : record.choices) text += "#" + std::to_string(choice.taken);
    for (const int count : clock) text += static_cast<char>('0' + count);
    text += ' ';
    clocks.push_back(std::move(clock));
  }
  std::string text;
  for (const std::string& part : by_thread) text += part + "|";
  return text;
}

struct Oracle {
  std::set<std::string> traces;
  uint64_t deadlocks = 0;
  bool dependence_is_sound = true;  // equal traces have led to equal states
};

class Interleavings {
 public:
  explicit Interleavings(const Program& program) : program_(program) { explore(); }
  Oracle found;

 private:
  // Runs with the same happens-before so far go on alike if they are in the same state, which is
  // checked: trying one of them is enough.
  void explore() {
    Machine machine(program_);
    for (const Step& step : path_) machine.step(step.thread, step.choice);
    const std::string trace = trace_of(machine);
    const auto [seen, is_new] = seen_.emplace(trace, machine.state());
    if (!is_new) {
      found.dependence_is_sound &= seen->second == machine.state();
      return;
    }
    if (!machine.is_any_enabled()) {
      found.traces.insert(trace);
      found.deadlocks += machine.is_deadlocked();
    }
    for (int t = 0; t < machine.threads(); ++t) {
      if (!machine.is_enabled(t)) continue;
      for (uint32_t choice = 0; choice < machine.alternatives(t); ++choice) {
        path_.push_back({t, choice});
        explore();
        path_.pop_back();
      }
    }
  }

  struct Step {
    int thread;
    uint32_t choice;
  };
  const Program& program_;
  std::vector<Step> path_;
  std::unordered_map<std::string, std::string> seen_;
};

inline Oracle all_interleavings(const Program& program) { return Interleavings(program).found; }

using test::is_long;

// AddressSanitizer makes the oracle more than ten times slower.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsSlow = true;
#elif defined(__has_feature)
inline constexpr bool kIsSlow = __has_feature(address_sanitizer);
#else
inline constexpr bool kIsSlow = false;
#endif

// Random programs to try: two hundred times as many at night.
inline uint64_t how_many(uint64_t programs) { return is_long() ? programs * 10 : programs / 20; }

struct Counts {
  uint64_t complete = 0, stopped = 0, deadlocks = 0;
  uint64_t sleep_blocked = 0, redundant = 0;
  dpor::Trouble trouble = dpor::Trouble::none;
  size_t nodes_left = 0;
  std::vector<double> estimates = {};  // after each run
  std::set<std::string> traces = {};   // if they are wanted
  uint64_t all() const { return complete + stopped + deadlocks; }
};

inline dpor::Action action_of(const Record& record) {
  dpor::Action action = record.action;
  action.parts = record.parts.data();
  action.part_count = static_cast<uint32_t>(record.parts.size());
  action.choices = record.choices.data();
  action.choice_count = static_cast<uint32_t>(record.choices.size());
  return action;
}

// What is known of the conditions of awaits, where that is learned by trying.
struct LearnedConditions : dpor::AwaitConditions {
  bool passes(uint64_t condition, uint64_t value) const override {
    return in_vain.count({condition, value}) == 0;
  }
  std::set<std::pair<uint64_t, uint64_t>> in_vain;
};

// The thread waits in front of an await, and nobody knows yet that it does.
inline bool seems_enabled(const Machine& machine, int t, const LearnedConditions& learned) {
  if (machine.is_enabled(t) || !machine.waits(t)) return false;
  const dpor::Part part = machine.pending(t).parts[0];
  return part.act == Act::await && learned.passes(part.condition, part.before);
}

// A run of the machine as the search wants it. False: the search gave it up.
template <typename Search>
bool run_with(Machine& machine, Search& search, LearnedConditions* learned = nullptr) {
  search.begin_run();
  std::vector<dpor::Thread> enabled;
  dpor::Thread current = kNone;
  bool goes_on = true;
  while (true) {
    enabled.clear();
    for (int t = 0; t < machine.threads(); ++t) {
      if (machine.is_enabled(t) || (learned && seems_enabled(machine, t, *learned))) {
        enabled.push_back(static_cast<dpor::Thread>(t));
      }
    }
    if (enabled.empty()) break;
    current = search.next(enabled.data(), static_cast<uint32_t>(enabled.size()), current);
    if (current == kNone) {
      goes_on = false;
      break;
    }
    if (!machine.is_enabled(static_cast<int>(current))) {
      const dpor::Part part = machine.pending(static_cast<int>(current)).parts[0];
      learned->in_vain.insert({part.condition, part.before});
      search.retract(current);
      continue;
    }
    const uint32_t alternatives = machine.alternatives(static_cast<int>(current));
    const uint32_t choice = alternatives > 1 ? search.choice(current, 0, alternatives) : 0;
    machine.step(static_cast<int>(current), choice);
    search.executed(action_of(machine.records().back()));
    for (const Record& record : machine.taken_away()) search.taken_away(action_of(record));
  }
  if (!goes_on && !learned) return false;
  for (int t = 0; t < machine.threads(); ++t) {
    if (!machine.waits(t)) continue;
    const Record record = machine.pending(t);
    search.blocked(action_of(record));
  }
  return goes_on;
}

inline void run_once(const Program& program, dpor::ReducedSearch& search, Counts& counts,
                     bool keep_traces, LearnedConditions* learned = nullptr) {
  Machine machine(program);
  if (!run_with(machine, search, learned)) return;
  if (machine.is_deadlocked()) {
    ++counts.deadlocks;
  } else if (machine.has_stopped_thread()) {
    ++counts.stopped;
  } else {
    ++counts.complete;
  }
  if (keep_traces && !counts.traces.insert(trace_of(machine)).second) ++counts.redundant;
}

inline Counts reduced(const Program& program, bool keep_traces = false) {
  static const Conditions conditions;
  static dpor::ReducedSearch search(&conditions);
  search.restart();
  Counts counts;
  std::unordered_set<uint64_t> seen;
  bool has_more = true;
  while (has_more) {
    run_once(program, search, counts, keep_traces);
    has_more = search.end_run();
    if (!keep_traces && !seen.insert(search.events().identity()).second) ++counts.redundant;
    counts.estimates.push_back(search.estimate());
  }
  counts.sleep_blocked = search.sleep_blocked_runs();
  counts.trouble = search.trouble();
  counts.nodes_left = search.nodes_in_use();
  return counts;
}

// The same, but when an await goes on is learned by trying.
inline Counts reduced_by_learning(const Program& program) {
  static LearnedConditions learned;
  static dpor::ReducedSearch search(&learned);
  search.restart();
  learned.in_vain.clear();
  Counts counts;
  bool has_more = true;
  while (has_more) {
    run_once(program, search, counts, true, &learned);
    has_more = search.end_run();
  }
  counts.sleep_blocked = search.sleep_blocked_runs();
  counts.trouble = search.trouble();
  counts.nodes_left = search.nodes_in_use();
  return counts;
}

// Names of threads that other searches understand.
struct OwnNames : dpor::ThreadNames {
  uint64_t name_of(dpor::Thread thread) const override { return thread + 1000; }
  dpor::Thread thread_of(uint64_t name) override { return static_cast<dpor::Thread>(name - 1000); }
};

}  // namespace jostle::dpor_machine
