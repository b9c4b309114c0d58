// SPDX-License-Identifier: Apache-2.0
// What threads and objects of a run are called in reports: threads by thread_names.h, memory by
// debug information, by who works on it, and by who allocated it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/report/model/names/thread_names.h"
#include "src/report/symbols/block_types.h"
#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

class Names {
 public:
  Names(const channel::RunRecord& record, Symbolizer& symbols)
      : record_(record), symbols_(symbols), threads_(record, symbols), block_types_(symbols) {}

  const channel::RunRecord& record() const { return record_; }
  Symbolizer& symbols() { return symbols_; }

  // Of threads: see thread_names.h.
  std::string path(uint32_t thread) const { return threads_.path(thread); }
  std::string label(uint32_t thread) const { return threads_.label(thread); }
  const std::string& start(uint32_t thread) { return threads_.start(thread); }
  std::string title(uint32_t thread) { return threads_.title(thread); }

  // "queue_mu", "pool.size", "front", "Server.connections of pool.cc:12", "stack of T1". What
  // threads wait for and hold at the end of a deadlock has different names: "Node.mutex of
  // graph.cc:8 #2".
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
  std::string plain_object(uintptr_t address);
  void tell_apart_at_end();
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

  const channel::RunRecord& record_;
  Symbolizer& symbols_;
  ThreadNames threads_;
  BlockTypes block_types_;
  std::unordered_map<uintptr_t, std::string> objects_;
  bool told_apart_ = false;
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
};

}  // namespace jostle::report
