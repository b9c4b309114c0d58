// SPDX-License-Identifier: Apache-2.0
// libjostle.so defines every hook that the compilers emit; a missing one would be a program that
// does not link, or worse, does not start.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> defined_symbols() {
  const fs::path library = fs::path(jostle_bin()).parent_path().parent_path() / "lib/libjostle.so";
  const Result listing = run({"nm", "-D", "--defined-only", "-P", library});
  EXPECT_EQ(listing.exit_code, 0) << listing;
  std::set<std::string> names;
  std::istringstream lines(listing.out);
  for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.find(' ')));
  return names;
}

// Every name of a list in tests/programs/hooks; returns how many.
int expect_defined(const char* file) {
  const std::set<std::string> defined = defined_symbols();
  std::ifstream list(fs::path(JOSTLE_SOURCE_DIR) / "tests/programs/hooks" / file);
  int checked = 0;
  for (std::string name; std::getline(list, name);) {
    if (name.empty() || name[0] == '#') continue;
    EXPECT_TRUE(defined.contains(name)) << name;
    ++checked;
  }
  return checked;
}

TEST(Symbols, EveryHookOfTheCompilersIsDefined) { EXPECT_GT(expect_defined("SYMBOLS.txt"), 100); }

// A program built for libtsan may call its public interface.
TEST(Symbols, EveryCallOfLibtsansInterfaceIsDefined) {
  EXPECT_GT(expect_defined("SYMBOLS_API.txt"), 50);
}

TEST(Symbols, OurOwnNamesStayInside) {
  for (const std::string& name : defined_symbols()) {
    EXPECT_EQ(name.find("6jostle"), std::string::npos) << name << " is exported";
  }
}

}  // namespace
}  // namespace jostle::test
