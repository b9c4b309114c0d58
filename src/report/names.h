// What threads and objects of a run are called in reports.
//
// A thread has a stable name, its spawn path ("0.1"), and a label that is short enough for a
// column: "main", then T1, T2, … in order of creation. Its title adds the routine it started with,
// looked up behind std::thread's plumbing where that hides it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "src/report/symbolizer.h"
#include "src/schedule/channel.h"

namespace jostle::report {

// "0", "0.1", "0.1.0". Very deep nesting gives "#17" (the index), so that names stay short.
std::string spawn_path(std::span<const channel::ThreadRecord> threads, uint32_t index);

class Names {
 public:
  Names(const channel::RunRecord& record, Symbolizer& symbols)
      : record_(record), symbols_(symbols) {}

  const channel::RunRecord& record() const { return record_; }

  std::string path(uint32_t thread) const;
  std::string label(uint32_t thread) const;   // "main", "T2"
  const std::string& start(uint32_t thread);  // "worker"; empty for main or when not known
  std::string title(uint32_t thread);         // "main", "T2 worker"

  // "queue_mu", "pool.size", "front", "Server.connections of pool.cc:12", "stack of T1"
  std::string object(uintptr_t address);

 private:
  struct Access {
    uintptr_t pc;
    uint32_t size;
  };
  const std::vector<Access>& accesses_to(uintptr_t address);
  std::string find_object(uintptr_t address);
  std::string local(const channel::ObjectRecord& object);
  std::string heap_member(const channel::ObjectRecord& object);
  std::string find_start(uint32_t thread);
  std::string outermost_of(const channel::Stack& stack);
  std::string start_from_stack(uint32_t thread);
  std::string start_from_trace(uint32_t thread);

  const channel::RunRecord& record_;
  Symbolizer& symbols_;
  std::unordered_map<uintptr_t, std::string> objects_;
  std::unordered_map<uintptr_t, std::vector<Access>> accesses_;
  bool accesses_known_ = false;
  std::unordered_map<uint32_t, std::string> starts_;
  std::unordered_map<uint32_t, uintptr_t> first_pcs_;
  bool first_pcs_known_ = false;
};

}  // namespace jostle::report
