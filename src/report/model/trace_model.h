// SPDX-License-Identifier: Apache-2.0
// A failing run as something to look at: what every report but the text is made from.
//
// The record of a run (made with `record` on) holds addresses and raw events, in the order in which
// threads announced them. The model has them in the order in which they were executed, with names,
// source lines, and what follows from them: which write each read observed, who held which lock
// when, who waited for what. It is plain data without pointers; indices lead from one vector into
// another, kNoIndex is "none". All text is printable UTF-8 (see `escape`), so that a format has
// only its own quoting to do; but `Place::file` is the file's name as it is, bytes and all.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/report/model/names/names.h"
#include "src/report/model/results/history_model.h"
#include "src/report/model/results/result_model.h"
#include "src/report/model/run_callbacks.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/source_lines.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

inline constexpr uint32_t kNoIndex = UINT32_MAX;

// A place in the program. Without debug information only `where` is set ("prog+0x1234").
struct Place {
  std::string where;
  std::string function;
  std::string file;
  int line = 0;
  std::string text;      // of the source line, trimmed
  bool library = false;  // not the program's own code
  bool operator==(const Place&) const = default;
};

struct EventModel {
  uint32_t thread = 0;  // index into `threads`, as everywhere below
  OpKind kind = OpKind::none;
  uint32_t object = kNoIndex;      // into `objects`
  uint32_t place = kNoIndex;       // into `places`
  uint32_t reads_from = kNoIndex;  // the event whose effect it observed, in `events`
  uint64_t step = 0;               // position in the whole run, from 1
  uint32_t size = 0;
  std::string value = {};        // as the type of the variable has it: "-1"; empty: not known
  bool executed = true;          // false: the run ended while it was about to
  bool spurious = false;         // a wait that ended without a signal, a comparison that failed so
  bool stale = false;            // an atomic operation that did not read the newest store
  bool in_vain = false;          // wanted to lock or take something, and did not get it
  bool preempted = false;        // its thread was preempted before it, and others ran
  uint64_t left_out_before = 0;  // events of the run between the one before and this
};

// A stretch in which one thread ran and no other.
enum class StretchEnd : uint8_t { preempted, blocked, ended, failed };
struct Stretch {
  uint32_t thread = 0;
  uint32_t first = 0, last = 0;  // events
  StretchEnd end = StretchEnd::preempted;
};

struct Hold {
  uint32_t thread = 0;
  uint32_t object = 0;
  uint32_t first = 0, last = 0;  // events
  bool shared = false;           // a read lock
  bool released = true;          // false: held when the run ended
};

// With weak memory: the stores to an atomic in their modification order, the oldest first. What was
// there before is not among them.
struct StoreOrder {
  uint32_t object = 0;
  std::vector<uint32_t> stores = {};  // events
};

struct Wait {
  uint32_t thread = 0;
  uint32_t object = kNoIndex;
  OpKind kind = OpKind::none;
  uint32_t first = 0, last = 0;  // events (of others) that happened meanwhile
  bool ended = true;             // false: waited when the run ended
};

struct HeldLockModel {
  uint32_t object = 0;
  std::string noun;  // "mutex", "read lock"
  Place place;
};

struct ThreadModel {
  std::string label;  // "main", "T1"
  std::string title;  // "T1 worker"
  std::string path;   // "0.1"
  // At the end of the run:
  bool live = false;
  bool blocked = false;
  bool in_cycle = false;
  std::string doing = {};                // "waits for mutex audit"
  uint32_t wanted = kNoIndex;            // object it waits for
  uint32_t waits_for_thread = kNoIndex;  // join, or the holder of that object
  bool joins = false;
  Place at = {};
  std::vector<HeldLockModel> holds = {};
  std::vector<Place> stack = {};
};

struct ObjectModel {
  std::string name;
  bool is_memory = true;  // false: something that is locked, signalled, …
  uint32_t accesses = 0;  // events in the model
  uint32_t threads = 0;   // different ones
};

// The block of the heap that a failure is about, and who had to do with it.
struct BlockModel {
  std::string place;                 // "byte 8 of a freed heap block of 40 bytes"
  uint32_t allocated_by = kNoIndex;  // thread
  uint32_t freed_by = kNoIndex;      // kNoIndex: it is not freed, or that is not known
  std::vector<Place> allocated_at = {};
  std::vector<Place> freed_at = {};
};

// Memory that was lost at one place.
struct LeakModel {
  uint64_t blocks = 0, bytes = 0;
  uint32_t allocated_by = kNoIndex;  // the first of them
  std::vector<Place> allocated_at = {};
};

// One of the two accesses of a data race.
struct RaceSideModel {
  uint32_t thread = kNoIndex;
  std::string access;  // "write of 8 bytes"
  std::vector<Place> stack = {};
};

struct LeftOut {
  uint64_t unshared = 0;      // accesses to memory that only one thread uses, or nobody writes
  uint64_t for_length = 0;    // because there are too many
  uint64_t stretches = 0;     // in which threads ran and of which nothing is left
  bool not_recorded = false;  // the run went on behind the end of the recording
};

struct TraceModel {
  // The failure.
  std::string kind;     // "assert"
  std::string verdict;  // "FAILED"
  std::string summary;  // "assertion `total == 300' in audit at bank.cc:45"
  std::string message;  // the assertion, the exception's text
  uint32_t failing_thread = kNoIndex;
  std::optional<Place> failing_place = {};
  std::vector<Place> failing_stack = {};
  std::optional<BlockModel> block = {};
  std::vector<LeakModel> leaks = {};
  std::vector<RaceSideModel> race = {};  // the earlier one, the later one
  HistoryModel history = {};             // of operations side by side
  ResultModel result = {};               // of functions that do not look atomic
  std::vector<std::string> values = {};  // the counterexample of a property: "a = 10"

  // The run.
  std::vector<ThreadModel> threads = {};
  std::vector<ObjectModel> objects = {};
  std::vector<Place> places = {};
  std::vector<EventModel> events = {};   // executed ones in order, then those that never were
  std::vector<uint32_t> explained = {};  // events that the explanation is about, in their order
  std::vector<Stretch> stretches = {};
  std::vector<Hold> holds = {};
  std::vector<Wait> waits = {};
  std::vector<StoreOrder> modification_orders = {};  // where the newest was not always read
  std::vector<Callback> callbacks = {};              // `thread` is an index of `threads`
  uint64_t steps = 0;  // events of the whole run, before any were left out
  uint64_t preemptions = 0, switches = 0;
  LeftOut left_out = {};

  // Around it; each may be empty.
  std::string program = {};
  std::vector<std::string> arguments = {};
  std::string test = {};  // that failed; empty: the program is no test
  std::string strategy = {};
  uint64_t schedule_number = 0;
  std::optional<uint64_t> seed = {};     // of the campaign
  std::optional<int64_t> found = {};     // when, in seconds since 1970
  std::optional<int64_t> replayed = {};  // the same: a recording does not know when it was found
  uint64_t signature = 0;
  std::string replay_command = {};
  std::string explanation = {};                 // why it fails, in sentences
  std::vector<std::string> early = {};          // sleeps and time-outs that others were to overtake
  std::optional<uint64_t> minimised_from = {};  // preemptions before minimising
  uint64_t stale_reads = 0;                     // weak memory: operations that read no newest store
  uint64_t sequential_schedules = 0;            // tried, which do not fail so; 0: it was not tried
  std::vector<std::string> output_tail = {};    // the last lines of the program's own output
};

// What is shown. Of a long run the end is kept, and before that the switches between threads.
struct TraceLimits {
  size_t most_events = 30'000;
  std::set<uint32_t> explained = {};  // entries of the trace to show although they are not shared
};

TraceModel build_trace_model(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                             const TraceLimits& limits = {});

// "after 12 schedules (pos)" in the middle: the line that reports begin with.
std::string headline(const TraceModel& model);

}  // namespace jostle::report
