// SPDX-License-Identifier: Apache-2.0
// What lies inside the global variables of a module: "[1].balance" instead of "+104".
//
// Types come from the debug information (type_members.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/report/symbols/module_symbols.h"
#include "src/report/symbols/type_members.h"

namespace jostle::report {

class VariableTypes {
 public:
  explicit VariableTypes(ModuleSymbols& symbols) : symbols_(symbols) {}

  // What `size` bytes (0: not known) at `offset` of the variable at `address` (the file's own) are,
  // to be appended to the variable's name. "+8" where nothing is known.
  PlaceInType place(uint64_t address, uint64_t offset, uint32_t size);

  // The thread-local variable at `offset` of the module's block of them. Empty: not known.
  NamedMemory thread_local_at(uint64_t offset, uint32_t size);

 private:
  void index();
  void index_children(Dwarf_Die& parent, int depth);
  void add(Dwarf_Die& variable);
  void place_thread_locals();
  std::optional<Dwarf_Die> unplaced(const std::string& name, uint64_t size);
  std::optional<uint64_t> address_in(Dwarf_Attribute& location, const Dwarf_Op& operation);
  bool add_pieces(Dwarf_Attribute& location, std::span<const Dwarf_Op> operations, Dwarf_Die& type);

  // What begins at an address: a variable, or a piece of one that the compiler took apart.
  struct Variable {
    Dwarf_Die type;
    uint64_t offset = 0;                     // of the piece
    std::optional<StoredValue> stored = {};  // not as its type says
  };

  ModuleSymbols& symbols_;
  bool indexed_ = false;
  uint64_t visited_ = 0;
  std::map<uint64_t, Variable> variables_;       // by address
  std::map<uint64_t, Dwarf_Die> thread_locals_;  // variables, by their offset in the block
  // Variables without a place, by what the linker calls them.
  std::multimap<std::string, Dwarf_Die> unplaced_;
};

}  // namespace jostle::report
