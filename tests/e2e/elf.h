// SPDX-License-Identifier: Apache-2.0
// Looks at what compilers made, and knows which compilers there are to test with.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace jostle::test {

struct Compiler {
  std::string name;  // gcc or clang
  std::string c;
  std::string cxx;
};

std::ostream& operator<<(std::ostream& os, const Compiler& compiler);

// gcc always, clang when it is installed.
std::vector<Compiler> compilers();

// What the dynamic linker is told, in order: the values of NEEDED, or of RUNPATH.
std::vector<std::string> dynamic_entries(const std::string& file, const std::string& kind);

// Undefined __tsan_ symbols: the hooks that this file calls.
std::vector<std::string> hooks(const std::string& file);

// Bound to libjostle.so before every other library, and to no thread sanitizer.
void expect_bound_to_jostle(const std::string& file);

}  // namespace jostle::test
