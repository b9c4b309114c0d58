// SPDX-License-Identifier: Apache-2.0
// The channel: one block of shared memory between the `jostle` command and the target process.
//
// The command creates it (a memfd), fills in `config` (and `input` for a replay), starts the target
// with the descriptor's number in JOSTLE_CHANNEL, and reads status, findings and the record of the
// last run from it, also after the target has died. The runtime inside the target writes it with
// plain stores; there is no system call and no serialisation on that path, so every struct here is
// plain data of fixed size. The file is sparse: a large array costs only the pages that are used.
//
// Both sides are always of the same build (`kVersion` is checked anyway), so the layout may change
// freely. What is kept on disk is the replay file, see docs/replay-format.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "src/schedule/file_journal.h"
#include "src/schedule/operation.h"

namespace jostle::channel {

inline constexpr uint64_t kMagic = 0x314C4E43'4C54534A;  // "JSTLCNL1"
inline constexpr uint32_t kVersion = 1;
inline constexpr char kDescriptorVariable[] = "JOSTLE_CHANNEL";
// Set besides: the process is to be controlled only from the check of this name on, "name#2" for
// the second of several.
inline constexpr char kCheckVariable[] = "JOSTLE_CHECK";
// What LD_PRELOAD, LD_LIBRARY_PATH and LD_BIND_NOW were before the command added itself. The
// runtime puts them back (or removes them) before the program sees its environment.
inline constexpr char kSavedPreloadVariable[] = "JOSTLE_SAVED_LD_PRELOAD";
inline constexpr char kSavedLibraryPathVariable[] = "JOSTLE_SAVED_LD_LIBRARY_PATH";
inline constexpr char kSavedBindNowVariable[] = "JOSTLE_SAVED_LD_BIND_NOW";

// ---- what to do ------------------------------------------------------------------------------

enum class Mode : uint32_t {
  run,     // one controlled execution in the process itself; all descriptors are the user's
  fuzz,    // many executions, each in a child of the target; output of the runs goes to /dev/null
  replay,  // one execution that follows `input`
  probe,   // no execution: the module table is filled in and the process ends before main
  step,    // like run, but asks the command at every scheduling point: see StepExchange
};

// How a campaign's runs are kept apart.
enum class Executor : uint32_t {
  automatic,  // snapshot if the program allows it
  snapshot,   // all in one process, rewound after each
  fork,       // a process each
};

// Where a thread that could go on may be preempted. A replay does not depend on it.
enum class Points : uint32_t {
  all,              // at every operation that other threads can notice
  synchronisation,  // not at plain memory accesses
  stops,            // at the stop points (`Channel::stops`) and, unless `stop_only`, as above
};

// May waits for condition variables and futexes end without a signal, as POSIX allows?
enum class SpuriousWakeups : uint32_t {
  rarely,  // in some runs of samplers
  never,
  always,  // it is a choice in every run, whatever the strategy
};

// What is looked for beside the program's own failures; `--check` names them.
enum Check : uint32_t {
  kCheckRace = 1 << 0,
  kCheckHeap = 1 << 1,
  kCheckLeak = 1 << 2,
  kCheckLockOrder = 1 << 3,
};
inline constexpr uint32_t kDefaultChecks = kCheckRace | kCheckHeap | kCheckLockOrder;

// Limits of a run that are failures when they are passed.
enum Limit : uint32_t {
  kLimitSteps = 1 << 0,
  kLimitTime = 1 << 1,
};

struct Config {
  Mode mode;
  Executor executor;
  Points points;
  uint32_t stop_only;
  uint32_t stop_count;        // used of Channel::stops
  uint32_t record;            // 1: keep the full trace and stacks (slow); 0: only the schedule
  char strategy[128];         // "random", "pos", "none", ...; parameters after a colon
  uint64_t seed;              // schedule i of a campaign runs with a seed derived from (seed, i)
  uint32_t worker, workers;   // this is one of so many: they take turns in the numbers of schedules
  int32_t hub_descriptor;     // of the Hub; 0: none
  uint64_t first_schedule;    // number of the first schedule (1 normally; a restart goes on behind)
  uint64_t max_schedules;     // 0: no limit
  uint64_t max_nanoseconds;   // 0: no limit (real time, campaign)
  uint64_t run_nanoseconds;   // real-time watchdog of one run; 0: none
  uint64_t max_steps;         // scheduling points of one run; 0: no limit
  uint64_t max_events;        // hooks reached by one thread without end; 0: no limit
  uint32_t keep_graph;        // 1: draw the scheduling graph into Channel::graph at the end
  uint32_t minimize;          // 1: `input` fails, and a smaller schedule that does is wanted
  uint64_t failure;           // minimize: signature of how it fails; 0: any `expected_end`
  uint32_t has_input;         // 1: `input` is for the strategy
  uint64_t byte_count;        // used of Channel::bytes, for the strategy
  uint32_t keep_going;        // 1: do not stop at the first finding
  uint32_t any_exit_code_ok;  // 1: a non-zero exit is no failure
  uint64_t exit_codes_ok[4];  // bit set of exit codes that are no failure (0 always is none)
  int64_t clock_start;        // what CLOCK_REALTIME shows at the start, seconds since 1970
  uint32_t expected_end;      // replay: Outcome of the recording; a step limit strikes at its end
  uint32_t checks;            // Check bits
  uint32_t fail_on;           // Check bits: what they find fails the run; else it is only noted
  uint32_t volatile_atomic;   // 1: for races, volatile accesses are relaxed atomic ones
  uint32_t starvation_limit;  // who is passed over more often starves; 0: kMostOvertakings
  uint64_t expected_race;     // replay: race_key of the one that ends the run; 0: none does
  uint32_t plain_events;      // 1: event loops are told what is ready as the kernel would
  uint32_t core;              // 1: a process that dies of a signal may leave a core behind
  uint32_t io_faults;         // 1: transfers may be short or fail with EAGAIN
  uint32_t patient;           // 1: time-outs never strike while others could run
  uint32_t limits_fail;       // Limit bits: the user set them, and a run beyond has failed
  FileCare file_care;         // what is done about files that runs change
  SpuriousWakeups spurious;
  uint64_t stop_at_event;  // of the trace, from 1: a debugger is to stop before it; 0: nowhere
};

// ---- inputs ----------------------------------------------------------------------------------

// What a property draws: one number out of a range. Everything that generators make is made of
// such draws, so that a shorter list of smaller numbers is a simpler input, whatever it stands for.
enum class DrawKind : uint8_t {
  signed_number,    // low, high and value are int64_t
  unsigned_number,  // uint64_t
  example,          // which of the user's examples; 0: none, the generators' turn
};
struct Draw {
  DrawKind kind;
  uint8_t reserved[7];
  uint64_t low, high;
  uint64_t value;
};
inline constexpr uint32_t kMaxDraws = 1 << 16;
struct Draws {
  uint32_t count;
  uint32_t overflow;  // 1: the run wanted more than there is room for
  Draw list[kMaxDraws];
};

// Two numbers that the program compared, where it is instrumented for that: what inputs are
// changed to. Those that are equal are of no use and not kept.
struct Comparison {
  uint64_t place;  // CodeLocation
  uint64_t left, right;
  uint32_t size;      // bytes
  uint32_t constant;  // 1: `left` is a constant of the program
  // The read of shared memory that brought one of them, by the names of its location and its place;
  // 0: none did.
  uint64_t read_name, read_site;
  uint32_t read_size;  // bytes
  uint32_t read_left;  // 1: it brought `left`
};
inline constexpr uint32_t kMaxComparisons = 256;

// What the values of a run are called in the report: "a = 10" per line.
inline constexpr uint32_t kMaxShown = 1 << 14;

// How many runs a property counted as what (jostle::classify).
struct ClassCount {
  char name[56];
  std::atomic<uint64_t> runs;
};
inline constexpr uint32_t kMaxClasses = 64;

// ---- one schedule ----------------------------------------------------------------------------

// A thread of a run, in order of creation. `parent` and `ordinal` make its stable name: the main
// thread is "0", its second child "0.1".
struct ThreadRecord {
  uint32_t parent;   // index into the same table; the main thread is its own parent
  uint32_t ordinal;  // n-th child of its parent, from 0
  uintptr_t start_routine;
  uint64_t steps;  // how often it was picked
  char name[16];   // pthread_setname_np
  uint64_t path;   // hash of the spawn path: the same thread in every run
};

// Why a segment ends.
enum SegmentEnd : uint8_t {
  kPreempted,   // the thread could have gone on
  kForced,      // it blocked, or ended
  kGaveWay,     // it yielded, or only spun: who could go on but has nothing to do
  kTimePassed,  // time passed until a timer, although it could go on; it may be the next, too
};

// "This thread runs until it is about to execute its own event number `until`." Events are counted
// per thread and include the memory accesses that are no scheduling points, so that a schedule
// means the same whatever the runtime has learned about which memory is shared.
struct Segment {
  uint32_t thread;  // index into the thread table
  OpKind stopped_at;
  uint8_t forced;  // SegmentEnd
  uint16_t reserved;
  uint64_t until;
  uint64_t location;  // CodeLocation of the operation it was about to execute
};

struct Choice {
  ChoiceKind kind;
  uint8_t reserved[3];
  uint32_t alternatives;
  uint32_t picked;
};

inline bool is_preemption(const Segment& segment) { return segment.forced == kPreempted; }

// A code location that is the same in every run and process: 16 bits of a hash of the module's file
// name, 48 bits of offset into it. 0: unknown.
using CodeLocation = uint64_t;

// The same for a race, whichever of its accesses comes first.
constexpr uint64_t race_key(CodeLocation a, CodeLocation b) {
  return combine(combine(19, a < b ? a : b), a < b ? b : a);
}

// A function, or a piece of one, that the user wants threads to be preempted in. Sorted, not
// overlapping.
enum StopKind : uint32_t {
  kStopEntry = 1 << 0,   // where it is entered: before the next operation of the thread
  kStopInside = 1 << 1,  // at operations in it
  kStopWeak = 1 << 2,    // only the current thread may be held there: it goes on or the next one in
                         // order does
  // The standard library's code, here because it is made of templates: what it does counts as done
  // by the function that calls it.
  kStopLibrary = 1 << 3,
};
struct StopRange {
  CodeLocation begin, end;
  uint32_t kinds;  // StopKind bits
  uint32_t reserved;
};

struct ModuleRecord {
  char path[512];
  uintptr_t bias;         // load address minus the ELF file's own addresses
  uintptr_t begin, end;   // all its segments
  uint64_t name_hash;     // upper 16 bits of its CodeLocations, shifted down
  uint32_t instrumented;  // refers to __tsan_ hooks
  uint32_t system;        // libc, the C++ runtime, libjostle: callbacks from there are no events
};

struct TraceEvent {  // only in record mode
  uint32_t thread;
  OpKind kind;
  uint8_t visible;      // was a scheduling point
  uint8_t value_known;  // 1: `value` is what was read or written
  uint8_t spurious;     // 1: a wait that ended without a signal
  uint32_t size;
  uint32_t failed_exchange;  // 1: a compare-exchange that wrote nothing: its kind is atomic_load
  uint64_t event;            // the thread's own event number
  uintptr_t object;
  uintptr_t pc;
  uint64_t value;  // of accesses of at most eight bytes, zero-extended
};

// ---- event loops -----------------------------------------------------------------------------

// What an event loop called a callback for, as far as it is known.
enum class Trigger : uint32_t {
  unknown,
  descriptor,  // one that it was told of: `descriptor`
  timer,       // its wait timed out, or a timerfd expired
  none,        // it is no callback but a part of the loop, for it waited itself
};

// A function of the program that an event loop called: a library's loop (see event_loop.h), or the
// program's own (a wait in it reported something, and this function was entered first).
struct CallbackRecord {
  uint32_t thread;  // index into the thread table
  Trigger trigger;
  int32_t descriptor;  // -1: none
  // Where a loop calls functions of its own which call the program's (Asio does), those are noted,
  // too, while recording: 1 + the index of the callback they belong to; 0: it is one itself.
  uint32_t inside;
  uintptr_t function;  // an address in it
  uintptr_t caller;    // return address into the loop
  uint64_t begin;      // the thread's events so far: its operations are begin + 1 to end
  uint64_t end;        // UINT64_MAX: it has not returned
  int64_t clock;       // virtual time at its begin
};
inline constexpr uint32_t kMaxCallbacks = 1 << 16;  // the first of a run

// Where a run last did something among callbacks that no run had done before: what follows is
// worth to be drawn anew. Counts of the log, and where the running thread was.
struct Progress {
  uint64_t new_features;  // how many
  uint32_t choices, segments;
  uint32_t thread;
  uint32_t callbacks;  // of the whole run
  uint64_t events;
};

// ---- how a run ended -------------------------------------------------------------------------

enum class Outcome : uint32_t {
  running,      // never got to an end: killed from outside
  exited,       // with `code`
  assertion,    // assert() failed: message, file, line, function
  aborted,      // abort()
  exception,    // terminate() with an exception in flight: message holds its type and what()
  signalled,    // fatal signal `code` at `address`
  deadlock,     // nothing enabled, somebody waiting
  livelock,     // all live threads spin or wait for ever
  step_limit,   // more than max_steps scheduling points (or max_events hooks)
  timed_out,    // real-time watchdog
  misuse,       // undefined use of a synchronisation object; message says which
  diverged,     // replay only: see Divergence
  unsupported,  // the target did what we cannot control; message says what
  stopped,      // the strategy wanted no more of it: no failure
  race,         // two accesses that nothing orders: Failure::race, the last of RunRecord::races
  heap_error,   // use after free, overflow, double or invalid free: at Failure::address; a leak
  cut_off,      // did not end within the default limits: no failure
};

// Events from which on a run is called long.
inline constexpr uint64_t kLongRun = 1'000'000;

// For strategies: not so of runs that came to their end, or were ended for being long.
constexpr bool may_have_failed(Outcome outcome) {
  return outcome != Outcome::exited && outcome != Outcome::cut_off;
}

inline constexpr int kMaxStack = 48;

struct Stack {
  uint32_t depth;
  uint32_t reserved;
  uintptr_t pc[kMaxStack];  // innermost first; return addresses except, after a signal, the first
  uintptr_t frame[kMaxStack];  // where the frame of each ends (its CFA); 0: not known
};

struct HeldLock {
  uintptr_t object;
  OpKind kind;  // mutex_lock, rwlock_read, rwlock_write, spin_lock, once
  uint8_t reserved[3];
  uint32_t count;
  Stack acquired_at;
};

inline constexpr int kMaxHeldLocks = 8;

enum class ThreadState : uint32_t { runnable, blocked, finished };

// A thread at the moment of a failure: every live one, and one that has ended when it took a lock
// with it that a live one waits for.
struct ThreadReport {
  uint32_t thread;  // index into the thread table
  ThreadState state;
  Operation pending;          // what it was about to do, or waits for
  uint32_t waits_for_thread;  // join, or the holder of the lock it wants; kNoThread: nobody
  uint32_t spins;             // 1: it only spins, and runs when nobody else can
  uint32_t held_count;
  uint32_t in_cycle;  // 1: part of the deadlock's cycle
  HeldLock held[kMaxHeldLocks];
  int64_t deadline;  // virtual time at which its wait ends by itself; INT64_MAX: never
  Stack stack;
};

// Where an address of the report lives, when the runtime knows better than the symbol table.
enum class Region : uint32_t { unknown, heap, stack, thread_local_storage };
struct ObjectRecord {
  uintptr_t address;
  Region region;
  uint32_t thread;    // heap: who allocated it; stack and thread_local_storage: whose
  uint64_t offset;    // into the block; behind or (modulo 2^64) before it when it belongs to none
  uint64_t size;      // of the block
  uint32_t freed;     // heap: already freed
  uint32_t freed_by;  // by whom; kNoThread: not known
  uint64_t freed_event;  // the number of the operation that `freed_by` was about to do then
  Stack allocated_at;
  Stack freed_at;
};

struct Failure {
  Outcome outcome;
  int32_t code;  // exit status or signal number
  uint32_t thread;
  uint32_t line;
  uint64_t steps;
  uintptr_t address;  // faulting address, or the object that was misused
  char message[1024];
  char file[512];
  char function[512];
  Stack stack;
  CodeLocation race[2];  // where the two accesses are
};

// One of the two accesses of a data race.
struct RaceAccess {
  uint32_t thread;  // index into the thread table
  uint32_t size;    // bytes, of at most eight in a row
  uint8_t writes, atomic, frees, reserved;
  uint32_t held_count;
  struct Held {
    uintptr_t object;
    uintptr_t pc;  // where it was taken
    OpKind kind;
    uint8_t reserved[7];
  } held[kMaxHeldLocks];
  uintptr_t pc;
  Stack stack;  // of instrumented functions; only `pc` unless recording
};

struct RaceRecord {
  uint64_t key;  // race_key of the two places
  CodeLocation places[2];
  uintptr_t address;  // the first byte that both touch
  RaceAccess earlier, later;
};
inline constexpr uint32_t kMaxRaces = 256;

// Blocks of one place in the program that nobody freed and nobody can reach any more.
struct LeakRecord {
  uint64_t blocks, bytes;
  uint32_t thread;  // who allocated the first of them
  uint32_t reserved;
  Stack allocated_at;  // of the first; only the place itself unless recording
};
inline constexpr uint32_t kMaxLeaks = 256;

struct Divergence {
  uint64_t segment;  // index into the input's segments
  uint64_t step;
  uint32_t thread;
  OpKind expected_kind, actual_kind;
  uint16_t reserved;
  uint64_t expected_event, actual_event;
  CodeLocation expected_location, actual_location;
  char what[256];  // one sentence
};

inline constexpr uint32_t kMaxThreads = 1 << 18;  // created in one run and named
inline constexpr uint32_t kMaxSegments = 1 << 22;
inline constexpr uint32_t kMaxChoices = 1 << 20;
inline constexpr uint32_t kMaxTraceEvents = 1 << 23;
inline constexpr uint32_t kMaxThreadReports = 4096;
inline constexpr uint32_t kMaxObjectRecords = 8192;
inline constexpr uint32_t kMaxFirstStacks = 512;
inline constexpr uint32_t kMaxModules = 256;
inline constexpr uint32_t kMaxScheduleBytes = 1 << 24;
inline constexpr uint32_t kMaxStopRanges = 1 << 16;

// A schedule: enough to do a run again.
struct Schedule {
  uint64_t seed;  // of this run; only informative once the schedule is followed
  uint32_t thread_count, segment_count, choice_count, reserved;
  uint64_t digest;  // over the switches and the synchronisation operations of the run
  ThreadRecord threads[kMaxThreads];
  Segment segments[kMaxSegments];
  Choice choices[kMaxChoices];
};
inline bool has_choice(const Schedule& schedule, ChoiceKind kind) {
  for (uint32_t i = 0; i < schedule.choice_count; ++i) {
    if (schedule.choices[i].kind == kind) return true;
  }
  return false;
}

// A sleep, or another wait with a time-out, that ended although other threads could have run.
struct EarlyExpiry {
  uint32_t thread;
  OpKind kind;
  uint8_t reserved[3];
  uintptr_t pc;
  int64_t nanoseconds;  // that it should have taken
};
inline constexpr uint32_t kMaxEarlyExpiries = 16;

// All about one run. Written by the run itself while it goes, so that it is there however it ends.
struct RunRecord {
  Failure end;
  Divergence divergence;
  uint64_t steps, switches, events;
  uint64_t decisions;  // steps at which there was more than one to choose from
  uint32_t max_live_threads;
  uint32_t report_count, object_count;
  uint32_t trace_truncated;
  uint64_t trace_count;
  uint32_t log_overflow;    // the schedule did not fit: it cannot be replayed
  uint32_t max_slots;       // threads at once, with those that have ended and are not joined yet
  uint64_t newly_shared;    // granules of memory that became scheduling points in this run
  uint64_t reads_from;      // hash of the set of (write, read that observed it) of the run
  uint64_t new_reads_from;  // how many of them no run had before
  char strategy[48];        // that chose the schedule, when it is one of several
  uint32_t race_count;      // no two with the same key
  uint32_t race_objects;    // the first of `objects` are the races'
  RaceRecord races[kMaxRaces];
  uint32_t leak_count;  // of heap_error: the places that leak
  LeakRecord leaks[kMaxLeaks];
  uint32_t early_count;     // time-outs that struck although others could run, while recording
  uint32_t timer_expiries;  // waits of event loops that ended by time
  EarlyExpiry early[kMaxEarlyExpiries];
  Progress progress;
  uint32_t callback_count;
  CallbackRecord callbacks[kMaxCallbacks];  // in the order of their begin
  uint64_t new_features;                    // of coverage, that no run had before
  uint32_t waits;                           // that could have ended without a signal
  uint32_t rejected;  // 1: assume() did not want this input; the outcome is `stopped`
  uint32_t comparison_count;
  Comparison comparisons[kMaxComparisons];
  char shown[kMaxShown];  // only in record mode
  Draws draws;
  Schedule schedule;
  ThreadReport reports[kMaxThreadReports];
  ObjectRecord objects[kMaxObjectRecords];
  Stack first_stacks[kMaxFirstStacks];  // only in record mode: of threads, at their first event
  TraceEvent trace[kMaxTraceEvents];
};

// ---- findings of a campaign ------------------------------------------------------------------

// What is handed over besides failures.
enum class FindingRole : uint32_t {
  failure,  // of a campaign; the smallest so far of a minimisation
  minimum,  // the same, and it has been shown that there is none with fewer preemptions
  passes,   // a schedule next to the smallest one that does not fail
  noted,    // seen by a campaign, but no failure: races, by default
};

// A finding is kept compactly in `finding_bytes`, one behind the other, 16-byte aligned:
// FindingHeader, ThreadRecord[], Segment[], Choice[], Draw[].
struct FindingHeader {
  uint64_t bytes;            // of the whole finding, to the next one
  uint64_t schedule_number;  // counted from 1
  uint64_t signature;        // equal for findings that look the same
  uint64_t seed, digest;
  uint32_t thread_count, segment_count, choice_count, draw_count;
  FindingRole role;
  uint32_t reserved;
  char strategy[48];  // see RunRecord
  Failure end;
};
inline constexpr uint64_t kFindingBytes = uint64_t{1} << 30;

// ---- exhaustive search -----------------------------------------------------------------------

struct Exploration {
  uint64_t explored;    // different schedules that were run
  uint64_t unexplored;  // known to be left
  int64_t bound;        // up to which all were explored; -1: no bounded search, or none yet
  uint32_t finished;    // nothing is left to do
  uint32_t everything;  // and beyond the bound there is nothing either
};

// A node of the scheduling graph as it is drawn, with the edge that leads to it.
enum class GraphState : uint32_t {
  open,      // a decision
  end,       // of a run
  finished,  // a decision below which all is explored and no longer kept
};
inline constexpr uint32_t kNoGraphNode = UINT32_MAX;
struct GraphNode {
  uint32_t parent;  // index; kNoGraphNode: this is the root
  uint32_t thread;  // whom the edge runs
  uintptr_t pc;     // and what it executes
  OpKind kind;      // none: a choice that is not about threads
  Outcome outcome;  // of an end
  GraphState state;
  uint32_t reserved;
  uint64_t value;     // unexplored continuations known below
  uint64_t explored;  // ends below
};
inline constexpr uint32_t kMaxGraphNodes = 1 << 16;

// ---- progress ---------------------------------------------------------------------------------

enum class Phase : uint32_t { starting, running, finished };
enum class StopReason : uint32_t { none, budget, time, finding, exhausted, interrupted, error };

inline constexpr int kOutcomes = static_cast<int>(Outcome::cut_off) + 1;

// What the target does that we do not control, one bit each; `jostle doctor` names them.
enum Uncontrolled : uint64_t {
  kExternalSocket = 1 << 0,   // connects to or accepts from outside the process
  kForks = 1 << 1,            // creates processes
  kRawThread = 1 << 2,        // clone() or another library's own threads
  kRealRandom = 1 << 3,       // /dev/urandom and the like opened as files
  kIoUring = 1 << 4,          // io_uring_setup: refused
  kTerminalInput = 1 << 5,    // reads from a terminal or a pipe that others write
  kAsyncIo = 1 << 6,          // aio_*, io_uring
  kNotRandomised = 1 << 7,    // set by the command when ASLR could not be switched off
  kPriorityFutex = 1 << 8,    // FUTEX_LOCK_PI and its like: refused
  kProcessId = 1 << 9,        // getpid and its like: another one in every process
  kProcessFigures = 1 << 10,  // reads /proc/self/stat and the like
  kFiltersCalls = 1 << 11,    // seccomp
};

struct Status {
  std::atomic<uint32_t> attached;  // 1 as soon as the runtime has found the channel
  std::atomic<Phase> phase;
  std::atomic<StopReason> stop_reason;
  std::atomic<uint32_t> stop_requested;   // set by the command (Ctrl-C)
  std::atomic<uint32_t> pause_requested;  // set by the command: no run until it is cleared
  std::atomic<uint32_t> paused;           // the answer
  std::atomic<uint64_t> schedules;        // number of the last that is finished
  std::atomic<uint64_t> runs;             // finished here
  std::atomic<uint64_t> steps;            // scheduling points, all runs
  std::atomic<uint64_t> events;           // hooks, all runs
  std::atomic<uint64_t> outcomes[kOutcomes];
  std::atomic<uint64_t> findings;        // number of complete findings in finding_bytes
  std::atomic<uint64_t> findings_bytes;  // used
  std::atomic<uint64_t> noted_findings;  // of them, those that are no failures: races, by default
  std::atomic<uint64_t> failing_schedules;
  std::atomic<uint64_t> first_failure_at;  // schedule number, 0: none
  std::atomic<uint64_t> uncontrolled;      // Uncontrolled bits
  std::atomic<uint32_t> module_count;
  std::atomic<int32_t> target_pid;
  std::atomic<uint32_t> max_live_threads;
  std::atomic<uint64_t> timer_expiries;  // see RunRecord
  std::atomic<uint64_t> rejected;        // runs whose input assume() did not want
  std::atomic<uint64_t> inputs;          // different inputs kept as worth to go on from
  std::atomic<Executor> executor;        // in use; `automatic` until it is decided
  std::atomic<uint64_t> traces;          // digest over all runs: what they did and how they ended
  Exploration exploration;               // after the last run
  std::atomic<uint32_t> graph_count;     // used of Channel::graph
  char shares[256];         // of the strategies of a portfolio, for the progress display
  char executor_note[256];  // why it is a process per run
  char file_note[1280];     // which files runs find as others left them
  char note[1024];  // one line for the user from the runtime, e.g. why something is unsupported
};

// ---- stepping ---------------------------------------------------------------------------------

// Why the target waits for an order.
enum class StepStop : uint32_t {
  choice,       // the last order is done, and there is more than one thread to choose from
  cannot,       // the thread that the order names cannot go on
  interrupted,  // as asked
  place,        // `next` is about to execute an operation at `place`, which is not in `passed`
  looked,       // the answer to StepOrder::look
};

enum class StepOrder : uint32_t {
  thread,    // `thread` alone
  onward,    // the thread that runs goes on; when it cannot, the next one
  strategy,  // `strategy` decides
  go_on,     // the order before, past this place
  look,      // nothing runs: describe the threads, and stop again
};

inline constexpr uint32_t kStepPlaces = 1 << 12;
// Where a place is kept in `passed`; another one may take its room, and is then asked for again.
constexpr uint32_t step_place(uint64_t place) {
  return static_cast<uint32_t>((place >> 2 ^ place >> 14) % kStepPlaces);
}

// The conversation of `jostle step`. The target fills in a stop, counts it and waits; the command
// fills in an order and counts that. Whoever waits does so on the other's counter, with a futex.
// At every stop but `place` the reports of the run's record describe all live threads.
struct StepExchange {
  uint32_t rehearsals;              // runs that nobody sees, to learn which memory is shared
  std::atomic<uint32_t> stops;      // counted by the target
  std::atomic<uint32_t> orders;     // counted by the command
  std::atomic<uint32_t> interrupt;  // set by the command, cleared by the target: stop soon

  StepStop stop;
  uint32_t current;  // who ran last: index into the thread table
  uint32_t next;     // place: who is about to run
  uint64_t step;
  int64_t clock;    // virtual time, nanoseconds
  Segment running;  // what the log of the run lacks: the segment of `current` up to here
  Stack place;      // of `next`
  uint64_t place_hash;

  StepOrder order;
  uint32_t thread;
  uint32_t until;  // 1: ask at every place that is not in `passed`
  uint64_t count;  // so many decisions
  uint64_t seed;   // of the strategy
  char strategy[sizeof(Config::strategy)];
  uint64_t passed[kStepPlaces];  // code addresses, and hashes of stacks
};

struct Channel {
  uint64_t magic;
  uint32_t version;
  uint32_t reserved;
  uint64_t size;  // sizeof(Channel)
  Config config;
  Status status;
  ModuleRecord modules[kMaxModules];
  StopRange stops[kMaxStopRanges];
  RunRecord record;  // the current or last run
  Schedule input;    // what a replay follows, or a strategy begins with
  Draws draws;       // the input that goes with it
  ClassCount classes[kMaxClasses];
  GraphNode graph[kMaxGraphNodes];
  unsigned char bytes[kMaxScheduleBytes];
  StepExchange step;
  FileJournal files;
  alignas(16) unsigned char finding_bytes[kFindingBytes];
};

}  // namespace jostle::channel
