// SPDX-License-Identifier: Apache-2.0
// Assertions that were compiled out: a program built with NDEBUG fails less often than its source
// says, and "no failure" would mean little.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::report {

// The lines (from 1) with an assert( that is code: in no comment, no text, no definition of the
// macro, and no part of another name.
std::vector<int> lines_with_assert(const std::vector<std::string>& source);

struct LostAssertions {
  std::string file = {};  // the first of them
  int line = 0;
  size_t count = 0;  // 0: none is lost
};

// Of a program or library that calls the assertions of libc nowhere, those in the functions that it
// has the code of. Without debug information or sources nothing is known, so that none is lost.
LostAssertions lost_assertions(const std::string& module_path);

// "none: assert() at bank.cc:22 and in 3 other lines was compiled out (is NDEBUG defined?)"
std::string describe(const LostAssertions& lost);

}  // namespace jostle::report
