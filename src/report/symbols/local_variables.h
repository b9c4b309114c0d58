// SPDX-License-Identifier: Apache-2.0
// Variables of functions: which one lies at an address of a stack, and what the pointers among them
// point to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/report/symbols/module_symbols.h"
#include "src/report/symbols/type_members.h"

namespace jostle::report {

// A call of the function at `pc` (the file's own address).
struct Call {
  uint64_t pc;
  uint64_t begin;  // of its frame, where the stack pointer is; 0: not known
  uint64_t end;
};

// The variable of that function that has `size` bytes (0: not known) at `address`, and the member
// of it: "front", "pool.size". Empty: not known.
NamedMemory local_variable(ModuleSymbols& symbols, const Call& call, uint64_t address,
                           uint32_t size);

// What a function that runs at `pc` works on by pointer: the class whose member it is, its
// parameters and variables. Innermost (inlined) functions first.
struct Pointee {
  Dwarf_Die type;
  std::string name;      // of the type
  std::string variable;  // that points to it
  bool is_this;          // the object whose member function it is
};
std::vector<Pointee> pointees(ModuleSymbols& symbols, uint64_t pc);

// A variable that the function at `pc` finds in a block of memory that it is handed, and nowhere
// else: gcc copies what the threads of a parallel region share into one.
struct HandedVariable {
  std::string name;
  Dwarf_Die type;
  uint64_t offset;  // in the block
};
std::vector<HandedVariable> handed_variables(ModuleSymbols& symbols, uint64_t pc);

}  // namespace jostle::report
