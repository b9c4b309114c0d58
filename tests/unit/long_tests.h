// SPDX-License-Identifier: Apache-2.0
// How much unit tests try: most of the long ones draw programs, and more of them in `./dev test
// --long`, which sets JOSTLE_LONG_TESTS. The table of tests/README.md has the numbers.
#pragma once

#include <cstdlib>

namespace jostle::test {

inline bool is_long() {
  const char* value = std::getenv("JOSTLE_LONG_TESTS");
  return value != nullptr && *value == '1';
}

}  // namespace jostle::test
