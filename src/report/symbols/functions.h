// SPDX-License-Identifier: Apache-2.0
// All functions of one ELF file and where their code is.
//
// From the debug information: also parts that the optimiser moved away, and the copies that were
// inlined into other functions. What has none comes from the symbol table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace jostle::report {

// Addresses of the file, as in module_symbols.h.
struct CodePiece {
  uint64_t begin = 0, end = 0;
  uint32_t depth = 0;  // 0: of the function itself; n: a copy, inlined n levels deep
};

struct Function {
  std::string name;  // qualified_name: overloads are one
  std::vector<CodePiece> code;
};

// Sorted by name. Empty when the file cannot be read.
std::vector<Function> functions_of(const std::string& path);

}  // namespace jostle::report
