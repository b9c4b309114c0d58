// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/elf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/e2e/support.h"

namespace jostle::test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;

std::ostream& operator<<(std::ostream& os, const Compiler& compiler) { return os << compiler.name; }

std::vector<Compiler> compilers() {
  std::vector<Compiler> found{{"gcc", "gcc", "g++"}};
#ifdef JOSTLE_TEST_CLANGXX
  found.push_back({"clang", JOSTLE_TEST_CLANG, JOSTLE_TEST_CLANGXX});
#endif
  return found;
}

Words dynamic_entries(const std::string& file, const std::string& kind) {
  std::istringstream lines(run({"readelf", "-dW", file}).out);
  Words values;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(" + kind + ")") == std::string::npos) continue;
    const size_t open = line.find('[') + 1;
    values.push_back(line.substr(open, line.find(']') - open));
  }
  return values;
}

Words hooks(const std::string& file) {
  std::istringstream lines(run({"nm", "-u", file}).out);
  Words names;
  for (std::string word; lines >> word;) {
    if (word.starts_with("__tsan_")) names.push_back(word);
  }
  return names;
}

void expect_bound_to_jostle(const std::string& file) {
  const Words needed = dynamic_entries(file, "NEEDED");
  ASSERT_FALSE(needed.empty()) << file;
  EXPECT_EQ(needed[0], "libjostle.so") << file;
  EXPECT_EQ(std::count(needed.begin(), needed.end(), "libjostle.so"), 1) << file;
  EXPECT_THAT(needed, Not(Contains(StartsWith("libtsan")))) << file;
  EXPECT_THAT(run({"nm", "--defined-only", file}).out, Not(HasSubstr(" T __tsan_"))) << file;
}

}  // namespace jostle::test
