// SPDX-License-Identifier: Apache-2.0
// All threads of a run that waits for a decision, one line each:
//
//   step 14 · 3 threads · clock 0.000
//     * main   blocked   join T1                       prog.cc:50    main
//       T1     ready     write total (now 1)           buffer.h:22   Buffer::Add
//       T2     blocked   lock buffer_mu, held by T1    buffer.h:31   Buffer::Remove
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/channel.h"

namespace jostle::report {

// The value of `size` (1, 2, 4 or 8) bytes of the program's memory; nullopt when they cannot be
// read.
using ReadMemory = std::function<std::optional<uint64_t>(uintptr_t address, uint32_t size)>;

struct StepViewOptions {
  bool colour = false;
  size_t longest = 40;  // threads; the rest is counted
  size_t columns = kColumns;
};

std::string step_view(const channel::Channel& channel, Symbolizer& symbols,
                      const ReadMemory& read_memory, const StepViewOptions& options);

// Can the person let it run? Threads that were put aside because they spin are left out if others
// can run.
bool can_be_chosen(const channel::RunRecord& record, const channel::ThreadReport& thread);

// What the thread is about to do: "write total (now 1)", "lock buffer_mu, held by T1".
std::string pending_text(const channel::ThreadReport& thread, Names& names,
                         const ReadMemory& read_memory);

}  // namespace jostle::report
