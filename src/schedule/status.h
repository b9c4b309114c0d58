// SPDX-License-Identifier: Apache-2.0
// What a campaign has done so far. Written by the target, read by the command at any time.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/schedule/config.h"
#include "src/schedule/exploration.h"
#include "src/schedule/run_end.h"

namespace jostle::channel {

enum class Phase : uint32_t { starting, running, finished };
enum class StopReason : uint32_t { none, budget, time, finding, exhausted, interrupted, error };

inline constexpr int kOutcomes = static_cast<int>(Outcome::not_atomic) + 1;

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
  kVaries = 1 << 12,          // found by repeating a run: it was another one
};

// Runs that the search ended before the program did (Outcome::stopped), by why. Not those whose
// input was rejected.
struct EndedEarly {
  char why[64];  // empty: none of this and the following
  std::atomic<uint64_t> runs;
};
inline constexpr uint32_t kMaxReasonsToEnd = 8;

struct Status {
  std::atomic<uint32_t> attached;  // 1 as soon as the runtime has found the channel
  std::atomic<Phase> phase;
  std::atomic<StopReason> stop_reason;
  std::atomic<uint32_t> stop_requested;   // set by the command (Ctrl-C)
  std::atomic<uint32_t> pause_requested;  // set by the command: no run until it is cleared
  std::atomic<uint32_t> paused;           // the answer
  std::atomic<uint64_t> schedules;        // number of the last that is finished
  std::atomic<uint64_t> runs;             // finished here
  std::atomic<uint32_t> idle;             // 1: waits for work that others have
  std::atomic<uint64_t> steps;            // scheduling points, all runs
  std::atomic<uint64_t> events;           // hooks, all runs
  std::atomic<uint64_t> outcomes[kOutcomes];
  EndedEarly ended_early[kMaxReasonsToEnd];
  std::atomic<uint64_t> findings;        // number of complete findings in finding_bytes
  std::atomic<uint64_t> findings_bytes;  // used
  std::atomic<uint64_t> noted_findings;  // of them, those that are no failures: races, by default
  std::atomic<uint64_t> failing_schedules;
  std::atomic<uint64_t> first_failure_at;  // schedule number, 0: none
  std::atomic<uint64_t> uncontrolled;      // Uncontrolled bits
  std::atomic<uint32_t> runs_differed;     // 1: of a schedule that was run twice
  std::atomic<uint32_t> module_count;
  std::atomic<uint32_t>
      orders_unseen;  // 1: an atomic has run that is not seen, or meets another address
  std::atomic<int32_t> target_pid;
  std::atomic<uint32_t> max_live_threads;
  std::atomic<uint32_t> fixed_port;      // that a run asked for by its number; 0: none
  std::atomic<uint64_t> timer_expiries;  // see RunRecord
  std::atomic<uint64_t> rejected;        // runs whose input assume() did not want
  std::atomic<uint64_t> scenarios;       // of tests with histories (schedule/history)
  std::atomic<uint64_t> not_judged;      // histories with more orders than are tried
  std::atomic<uint64_t> inputs;          // different inputs kept as worth to go on from
  // While minimising: so many sequentially consistent schedules were tried and did not fail so.
  std::atomic<uint64_t> sequential_schedules;
  std::atomic<Executor> executor;        // in use; `automatic` until it is decided
  std::atomic<uint64_t> traces;          // digest over all runs: what they did and how they ended
  Exploration exploration;               // after the last run
  std::atomic<uint32_t> graph_count;     // used of Channel::graph
  std::atomic<uint64_t> graph_left_out;  // executions for which there was no room
  char shares[256];         // of the strategies of a portfolio, for the progress display
  char executor_note[256];  // why it is a process per run
  char file_note[1280];     // which files runs find as others left them
  char note[1024];  // one line for the user from the runtime, e.g. why something is unsupported
  char broken_check[512];  // a violated JOSTLE_CHECK: our bug, whatever else the run says
};

}  // namespace jostle::channel
