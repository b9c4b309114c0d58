// SPDX-License-Identifier: Apache-2.0
// What threads of a run are called in reports.
//
// A thread has a stable name, its spawn path ("0.1"), and a label that is short enough for a
// column: "main", then T1, T2, … in order of creation. Its title adds the routine it started with,
// looked up behind std::thread's plumbing where that hides it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// A function as people call it: "Bank.Deposit", "lambda in Bank.Deposit".
std::string title_of(std::string_view function);

// "0", "0.1", "0.1.0". Very deep nesting gives "#17" (the index), so that names stay short.
std::string spawn_path(std::span<const channel::ThreadRecord> threads, uint32_t index);

class ThreadNames {
 public:
  ThreadNames(const channel::RunRecord& record, Symbolizer& symbols)
      : record_(record), symbols_(symbols) {}

  std::string path(uint32_t thread) const;
  std::string label(uint32_t thread) const;   // "main", "T2"
  const std::string& start(uint32_t thread);  // "worker"; empty for main or when not known
  std::string title(uint32_t thread);         // "main", "T2 worker"

 private:
  std::string find_start(uint32_t thread);
  std::string region_of_worker(uint32_t thread);
  std::string outermost_of(const channel::Stack& stack);
  std::string start_from_stack(uint32_t thread);
  std::string start_from_trace(uint32_t thread);

  const channel::RunRecord& record_;
  Symbolizer& symbols_;
  std::unordered_map<uint32_t, std::string> starts_;
  std::unordered_map<uint32_t, uintptr_t> first_pcs_;
  bool first_pcs_known_ = false;
};

}  // namespace jostle::report
