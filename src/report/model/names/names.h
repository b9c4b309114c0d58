// SPDX-License-Identifier: Apache-2.0
// What threads and objects of a run are called in reports.
//
// A thread has a stable name, its spawn path ("0.1"), and a label that is short enough for a
// column: "main", then T1, T2, … in order of creation. Its title adds the routine it started with,
// looked up behind std::thread's plumbing where that hides it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/report/symbols/block_types.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// "0", "0.1", "0.1.0". Very deep nesting gives "#17" (the index), so that names stay short.
std::string spawn_path(std::span<const channel::ThreadRecord> threads, uint32_t index);

class Names {
 public:
  Names(const channel::RunRecord& record, Symbolizer& symbols)
      : record_(record), symbols_(symbols), block_types_(symbols) {}

  const channel::RunRecord& record() const { return record_; }
  Symbolizer& symbols() { return symbols_; }

  std::string path(uint32_t thread) const;
  std::string label(uint32_t thread) const;   // "main", "T2"
  const std::string& start(uint32_t thread);  // "worker"; empty for main or when not known
  std::string title(uint32_t thread);         // "main", "T2 worker"

  // "queue_mu", "pool.size", "front", "Server.connections of pool.cc:12", "stack of T1"
  std::string object(uintptr_t address);

  // What an event read or wrote, by the type of the variable: "-1", "true", "nullptr". Empty: not
  // known.
  std::string value(const channel::TraceEvent& event);
  std::string value(uintptr_t address, uint64_t value, uint32_t size);

 private:
  struct Access {
    uintptr_t pc;
    uint32_t size;
  };
  const std::vector<Access>& accesses_to(uintptr_t address);
  // What is at an address for an access of `size` bytes (0: not known).
  const NamedMemory& memory(uintptr_t address, uint32_t size);
  NamedMemory find_memory(uintptr_t address, uint32_t size);
  NamedMemory described(uintptr_t address, uint32_t size);
  const channel::ObjectRecord* record_of(uintptr_t address);
  NamedMemory local(uintptr_t address, uint32_t size);
  NamedMemory local_at_end(const channel::ObjectRecord& object, uint32_t size);
  NamedMemory captured(uintptr_t address, uint32_t size);
  void find_references();
  NamedMemory shared_in_region(uintptr_t address, uint32_t size);
  void find_regions();
  std::string pointed_at(Dwarf_Die type, uint64_t value);
  std::string local_at(uintptr_t address, uint32_t size);
  std::string text_of_string(uintptr_t begin, const std::string& index);
  NamedMemory in_block(const channel::ObjectRecord& object, uint32_t size);
  std::string unnamed(uintptr_t address, const channel::ObjectRecord* object);

  // The type of a block, and the pointer to it that has a name, if that is how it is known.
  struct Block {
    std::optional<BlockType> type;
    std::string pointer;
  };
  const Block& block(const channel::ObjectRecord& object);
  Block pointed_to(uintptr_t begin, uint64_t size);
  const std::vector<uintptr_t>& pointers_to(uintptr_t begin);
  std::optional<BlockType> accessed_type(const channel::ObjectRecord& object);
  std::optional<BlockType> type_of_whole(const channel::ObjectRecord& object);

  std::string find_start(uint32_t thread);
  std::string region_of_worker(uint32_t thread);
  std::string outermost_of(const channel::Stack& stack);
  std::string start_from_stack(uint32_t thread);
  std::string start_from_trace(uint32_t thread);

  const channel::RunRecord& record_;
  Symbolizer& symbols_;
  BlockTypes block_types_;
  std::unordered_map<uintptr_t, std::string> objects_;
  std::map<std::pair<uintptr_t, uint32_t>, NamedMemory> memory_;  // by address and size
  std::unordered_map<uintptr_t, const channel::ObjectRecord*> records_;
  bool records_known_ = false;
  std::map<uintptr_t, Block> blocks_;                               // by their beginning
  std::unordered_map<uintptr_t, std::vector<uintptr_t>> pointers_;  // to blocks: where they are
  bool pointers_known_ = false;
  // Variables that lambdas captured, by their addresses.
  std::multimap<uintptr_t, NamedMemory> references_;
  bool references_known_ = false;
  // What parallel regions share: where it begins, and what it has.
  std::vector<std::pair<uintptr_t, std::vector<HandedVariable>>> regions_;
  bool regions_known_ = false;
  std::unordered_map<uintptr_t, std::vector<Access>> accesses_;
  bool accesses_known_ = false;
  std::unordered_map<uint32_t, std::string> starts_;
  std::unordered_map<uint32_t, uintptr_t> first_pcs_;
  bool first_pcs_known_ = false;
};

}  // namespace jostle::report
