// SPDX-License-Identifier: Apache-2.0
// What a block of the heap is: the type that it was allocated for.
//
// The place of the allocation tells it best: the standard library's allocator is a template, and
// the expression in the source names what it creates ("new Slot[8]", "malloc(sizeof *node)"). A
// pointer to the block tells it, too; but what is behind the first object is then not known: it may
// be another element of an array, or the rest of a class that is derived from the pointer's.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/report/symbols/symbolizer.h"
#include "src/report/words/source_lines.h"

namespace jostle::report {

struct BlockType {
  Dwarf_Die type;
  std::string name;       // of the type
  bool is_array = false;  // as many of them as the block has room for
  uint64_t before = 0;    // bytes in front of the first one
};

class BlockTypes {
 public:
  explicit BlockTypes(Symbolizer& symbols) : symbols_(symbols) {}

  // By who allocated it, and how. Nothing: that does not say.
  std::optional<BlockType> allocated(const channel::Stack& stack, uint64_t size);

  // By the types of pointers in the functions at `pc`, which accesses `size` bytes at `offset`: all
  // that are possible, by the names that they give to it. The object of a member function is alone
  // if it fits.
  std::map<std::string, BlockType> accessed(uintptr_t pc, uint64_t block_size, uint64_t offset,
                                            uint32_t size);

  // By a pointer to its beginning.
  static std::optional<BlockType> pointed_to(Dwarf_Die pointer, uint64_t size);

  // "Slot[3].state", "thread argument 1". Empty: not known.
  static NamedMemory name(const BlockType& block, uint64_t block_size, uint64_t offset,
                          uint32_t size);

 private:
  std::optional<BlockType> from_library(uintptr_t pc, uint64_t size);
  std::optional<BlockType> from_header(uintptr_t pc, uint64_t size);
  std::optional<BlockType> from_source(const Frame& frame, uintptr_t pc, uint64_t size);
  bool find_pointee(const std::string& variable, uintptr_t pc, Dwarf_Die& type);
  std::vector<Dwarf_Die> scopes_and_unit(uintptr_t pc);
  bool find_type(const std::string& name, uintptr_t pc, uint64_t size, Dwarf_Die& type);

  Symbolizer& symbols_;
  SourceLines sources_;
  std::unordered_map<uintptr_t, std::vector<Pointee>> pointees_;      // by pc
  std::map<Dwarf_Off, std::multimap<std::string, Dwarf_Die>> units_;  // types by their names
};

}  // namespace jostle::report
