// SPDX-License-Identifier: Apache-2.0
// A compressed debug file gives the same answers in parts as as a whole. The file is this very test
// program's: its debug information, apart and compressed as distributions do it.
#include "src/report/symbols/debug_excerpt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "src/report/symbols/module_symbols.h"

namespace jostle::report {
namespace {

namespace fs = std::filesystem;

class DebugExcerptTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    char folder[] = "/tmp/debug_excerpt_test.XXXXXX";
    ASSERT_NE(mkdtemp(folder), nullptr);
    folder_ = folder;
    const std::string self = fs::read_symlink("/proc/self/exe").string();
    whole_ = folder_ + "/program";
    fs::copy_file(self, whole_);
    ASSERT_EQ(run("objcopy --only-keep-debug --compress-debug-sections=zlib " + whole_ + " " +
                  folder_ + "/apart.debug"),
              0);
    ASSERT_EQ(run("objcopy --strip-all --add-gnu-debuglink=" + folder_ + "/apart.debug " + whole_ +
                  " " + folder_ + "/stripped"),
              0);
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  static int run(const std::string& command) { return std::system(command.c_str()); }

  // In functions all over the program that are ours: of others' libraries nothing is known, and
  // what templates make is not in clang's table of addresses.
  static std::vector<uint64_t> some_addresses(size_t count) {
    std::vector<uint64_t> all, some;
    ModuleSymbols::open(whole_)->for_each_function_symbol(
        [&](const char* name, uint64_t address, uint64_t size) {
          if (size > 64 && std::strncmp(name, "_ZN6jostle", 10) == 0) all.push_back(address + 32);
        });
    for (size_t i = 0; i < count; ++i) some.push_back(all[all.size() * i / count]);
    return some;
  }

  static std::string folder_, whole_;
};
std::string DebugExcerptTest::folder_, DebugExcerptTest::whole_;

TEST_F(DebugExcerptTest, SaysWhatTheWholeSays) {
  const auto whole = ModuleSymbols::open(whole_);
  const auto apart = ModuleSymbols::open(folder_ + "/stripped");
  const auto excerpt = DebugExcerpt::open(folder_ + "/apart.debug", 0, 0);
  ASSERT_NE(excerpt, nullptr);
  int lines = 0, units = 0;
  for (const uint64_t address : some_addresses(40)) {
    Dwarf_Die unit;
    units += excerpt->find_unit(address, unit);
    const auto expected = whole->positions(address), got = apart->positions(address);
    ASSERT_EQ(got.size(), expected.size()) << std::hex << address;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].function, expected[i].function);
      EXPECT_EQ(got[i].file, expected[i].file);
      EXPECT_EQ(got[i].line, expected[i].line);
      lines += got[i].line != 0;
    }
  }
  EXPECT_GT(units, 6);
  EXPECT_GT(lines, 6);
}

TEST_F(DebugExcerptTest, IsForCompressedFilesOfTheSameLayoutOnly) {
  EXPECT_EQ(DebugExcerpt::open(whole_, 0), nullptr) << "not compressed";
  EXPECT_EQ(DebugExcerpt::open(folder_ + "/stripped", 0), nullptr) << "nothing in it";
  EXPECT_EQ(DebugExcerpt::open(folder_ + "/apart.debug", 4096, 0), nullptr) << "elsewhere";
  EXPECT_EQ(DebugExcerpt::open(folder_, 0), nullptr) << "a folder";
  EXPECT_EQ(DebugExcerpt::open(folder_ + "/none", 0), nullptr);
}

TEST_F(DebugExcerptTest, SurvivesDamage) {
  std::ifstream in(folder_ + "/apart.debug", std::ios::binary);
  const std::vector<char> sound((std::istreambuf_iterator<char>(in)), {});
  const std::vector<uint64_t> addresses = some_addresses(12);
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    std::vector<char> damaged = sound;
    for (int n = 0; n < 8; ++n) {
      // Near the begin, where the first pieces of the sections are, and in the tables at the end.
      const size_t range = n % 2 == 0 ? damaged.size() : 8192;
      const size_t at = random() % range;
      damaged[n % 4 == 1 ? damaged.size() - 1 - at : at] = static_cast<char>(random());
    }
    if (i % 8 == 0) damaged.resize(random() % damaged.size());
    const std::string path = folder_ + "/damaged.debug";
    std::ofstream(path, std::ios::binary).write(damaged.data(), std::ssize(damaged));
    const auto excerpt = DebugExcerpt::open(path, 0, 0);
    if (excerpt == nullptr) continue;
    for (const uint64_t address : addresses) {
      Dwarf_Die unit;
      if (excerpt->find_unit(address, unit)) dwarf_getsrc_die(&unit, address);
    }
  }
}

}  // namespace
}  // namespace jostle::report
