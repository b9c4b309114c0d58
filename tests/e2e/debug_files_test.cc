// SPDX-License-Identifier: Apache-2.0
// Debug information that is not in the program itself: split into .dwo files, or kept in a separate
// file that the program has a link to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class DebugFiles : public testing::Test {
 protected:
  void compile(const std::vector<std::string>& flags) {
    const std::string source = folder_.write("lost.c", kLostUpdate);
    std::vector<std::string> words = {"cc", "-g", "-O1"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-c", source, "-o", folder_.file("lost.o")});
    // gcc puts the .dwo file beside the object.
    const Result compiled = jostle(words, {.cwd = folder_.path()});
    ASSERT_TRUE(compiled.ok()) << compiled;
    const Result linked =
        jostle({"cc", "-g", "-pthread", folder_.file("lost.o"), "-o", folder_.file("lost")});
    ASSERT_TRUE(linked.ok()) << linked;
  }
  Result fuzz() {
    return jostle({"fuzz", "--seed", "1", "--fresh", "-n", "3000", "-o", folder_.file("out"),
                   folder_.file("lost")});
  }
  static void expect_everything(const Result& found) {
    EXPECT_EQ(found.exit_code, 77) << found;
    EXPECT_THAT(found.out, HasSubstr("counter")) << found;
    EXPECT_THAT(found.out, HasSubstr("increment")) << found;
    EXPECT_THAT(found.out, ContainsRegex("lost.c:7")) << found;
  }

  TempDir folder_;
};

TEST_F(DebugFiles, SplitIntoDwo) {
  for (const char* version : {"-gdwarf-5", "-gdwarf-4"}) {
    compile({version, "-gsplit-dwarf"});
    ASSERT_TRUE(fs::exists(folder_.path() / "lost.dwo"));
    expect_everything(fuzz());
  }
}

TEST_F(DebugFiles, SplitAndLostLinesAndFunctionsAreLeft) {
  compile({"-gsplit-dwarf"});
  fs::remove(folder_.path() / "lost.dwo");
  const Result found = fuzz();
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("increment")) << found;
  EXPECT_THAT(found.out, HasSubstr("lost.c:7")) << found;
}

TEST_F(DebugFiles, BehindADebugLink) {
  compile({});
  // Under the program's own name it would be found without a link.
  const std::string debug = folder_.file("apart.dbg"), program = folder_.file("lost");
  ASSERT_TRUE(run({"objcopy", "--only-keep-debug", program, debug}).ok());
  ASSERT_TRUE(run({"objcopy", "--strip-all", program}).ok());
  const Result bare = fuzz();
  EXPECT_EQ(bare.exit_code, 77) << bare;
  EXPECT_THAT(bare.out, Not(HasSubstr("lost.c:7"))) << bare;
  ASSERT_TRUE(run({"objcopy", "--add-gnu-debuglink=" + debug, program}).ok());
  expect_everything(fuzz());
  // Debian's place for it.
  fs::create_directory(folder_.path() / ".debug");
  fs::rename(debug, folder_.path() / ".debug" / "apart.dbg");
  expect_everything(fuzz());
}

TEST_F(DebugFiles, Compressed) {
  compile({"-gz"});
  expect_everything(fuzz());
}

TEST_F(DebugFiles, NoneAtAllIsSaid) {
  compile({});
  ASSERT_TRUE(run({"objcopy", "--strip-debug", folder_.file("lost")}).ok());
  const Result found = fuzz();
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out, HasSubstr("increment")) << "the symbol table is there\n" << found;
  EXPECT_THAT(found.out, ContainsRegex("lost\\+0x[0-9a-f]+")) << found;
  EXPECT_THAT(found.out + found.err, HasSubstr("-g")) << found;
}

}  // namespace
}  // namespace jostle::test
