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

#include <cstddef>
#include <cstdint>

#include "src/schedule/config.h"
#include "src/schedule/exploration.h"
#include "src/schedule/file_journal.h"
#include "src/schedule/finding_record.h"
#include "src/schedule/input_record.h"
#include "src/schedule/run_record.h"
#include "src/schedule/status.h"
#include "src/schedule/step_exchange.h"
#include "src/schedule/stop_range.h"
#include "src/schedule/weak/memory_orders.h"

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
// libgomp's threads spin before they wait, where nobody sees them. The program does not see this
// one: libgomp has read it by then.
inline constexpr char kSpinCountVariable[] = "GOMP_SPINCOUNT";
inline constexpr char kNoSpinCountVariable[] = "JOSTLE_NO_GOMP_SPINCOUNT";  // it was not set

struct Channel {
  uint64_t magic;
  uint32_t version;
  uint32_t reserved;
  uint64_t size;  // sizeof(Channel)
  Config config;
  Status status;
  ModuleRecord modules[kMaxModules];
  StopRange stops[kMaxStopRanges];
  StopRange atomic_functions[kMaxAtomicRanges];
  OrderWatch orders;
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
