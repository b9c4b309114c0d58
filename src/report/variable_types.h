// What lies inside the global variables of a module: "[1].balance" instead of "+104".
//
// Types come from the debug information (type_members.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "src/report/module_symbols.h"

namespace jostle::report {

class VariableTypes {
 public:
  explicit VariableTypes(ModuleSymbols& symbols) : symbols_(symbols) {}

  // How the byte `offset` of the variable at `address` (the file's own) is called, to be appended
  // to the variable's name. "+8" where nothing is known.
  std::string member(uint64_t address, uint64_t offset);

 private:
  void index();
  void index_children(Dwarf_Die& parent, int depth);
  void add(Dwarf_Die& variable);

  ModuleSymbols& symbols_;
  bool indexed_ = false;
  uint64_t visited_ = 0;
  std::map<uint64_t, Dwarf_Die> types_;  // of variables, by address
};

}  // namespace jostle::report
