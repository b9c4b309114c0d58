// SPDX-License-Identifier: Apache-2.0
// `cmake --install` into an empty prefix gives a working command and a CMake package.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/elf.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class InstallTest : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    const Result installed = run({"cmake", "--install", JOSTLE_BUILD_DIR, "--prefix", prefix()});
    ASSERT_TRUE(installed.ok()) << installed;
  }

  std::string prefix() const { return dir_.file("a prefix"); }

  TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(All, InstallTest, testing::ValuesIn(compilers()),
                         [](const auto& info) { return info.param.name; });

TEST_P(InstallTest, TheInstalledWrapperFindsTheInstalledLibrary) {
  const RunOptions options{.env = {{"JOSTLE_CC", GetParam().c}}, .cwd = dir_.path()};
  dir_.write("x.c", "int n; int main(void) { return n++; }\n");
  const Result built = run({prefix() + "/bin/jostle-cc", "x.c", "-o", "x"}, options);
  ASSERT_TRUE(built.ok()) << built;
  expect_bound_to_jostle(dir_.file("x"));
  EXPECT_THAT(dynamic_entries(dir_.file("x"), "RUNPATH"), Contains(prefix() + "/lib"));
  EXPECT_TRUE(run({dir_.file("x")}).ok());
  EXPECT_TRUE(fs::exists(prefix() + "/include/jostle/jostle.h"));
}

// As docs/properties.md says: no option names the headers.
TEST_P(InstallTest, TheInstalledWrapperFindsTheInstalledHeadersAndNothingElse) {
  const RunOptions options{.env = {{"JOSTLE_CC", GetParam().c}, {"JOSTLE_CXX", GetParam().cxx}},
                           .cwd = dir_.path(),
                           .time_limit = 120};
  const std::string wrapper = prefix() + "/bin/jostle";
  const std::string example = std::string(JOSTLE_SOURCE_DIR) + "/examples/account_test.cc";
  const Result built = run({wrapper, "c++", "-g", "-std=c++20", "-Wall", "-Wextra", "-Werror",
                            example, "-o", "account_test", "-lgtest_main", "-lgtest"},
                           options);
  ASSERT_TRUE(built.ok()) << built;
  const Result ran = run({dir_.file("account_test"), "--gtest_filter=*AddUp"}, options);
  EXPECT_TRUE(ran.ok()) << ran;

  dir_.write("a prefix/include/neighbour.h", "");
  dir_.write("neighbour.c", "#include <neighbour.h>\n");
  EXPECT_FALSE(run({wrapper, "cc", "-fsyntax-only", "neighbour.c"}, options).ok());
  // The user's own headers come first.
  dir_.write("mine/jostle/jostle.h", "#define MINE 1\n");
  dir_.write("mine.c", "#include <jostle/jostle.h>\nint mine = MINE;\n");
  const Result mine = run({wrapper, "cc", "-fsyntax-only", "mine.c", "-Imine"}, options);
  EXPECT_TRUE(mine.ok()) << mine;
}

TEST_P(InstallTest, HeadersSayThatTheyNeedCxx20) {
  const RunOptions options{.env = {{"JOSTLE_CXX", GetParam().cxx}}, .cwd = dir_.path()};
  for (const std::string header : {"gtest", "jostle", "check", "gen", "property", "task_loop"}) {
    dir_.write("old.cc", "#include <jostle/" + header + ".hpp>\n");
    const Result old = run(
        {prefix() + "/bin/jostle", "c++", "-std=c++17", "-E", "old.cc", "-o", "old.ii"}, options);
    EXPECT_FALSE(old.ok());
    EXPECT_THAT(old.err, HasSubstr("<jostle/" + header + ".hpp> needs C++20")) << header;
  }
}

// Only `./dev install` on a fresh clone builds nothing else; here all that is installed is at least
// known to the target that it builds.
TEST(Install, ItsTargetBuildsAllOfIt) {
  const Result commands = run({"ninja", "-C", JOSTLE_BUILD_DIR, "-t", "commands", "installed"});
  ASSERT_TRUE(commands.ok()) << commands;
  const TempDir dir;
  const Result installed =
      run({"cmake", "--install", JOSTLE_BUILD_DIR, "--prefix", dir.file("prefix")});
  ASSERT_TRUE(installed.ok()) << installed;
  int binaries = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir.file("prefix"))) {
    const std::string name = entry.path().filename();
    if (entry.is_symlink() || !entry.is_regular_file()) continue;
    const bool is_command = entry.path() == dir.path() / "prefix/bin/jostle";
    if (!is_command && entry.path().extension() != ".so") continue;
    EXPECT_THAT(commands.out, ContainsRegex(" -o [a-z/]+/" + name + " ")) << name;
    ++binaries;
  }
  EXPECT_EQ(binaries, 3);
}

TEST_P(InstallTest, ThePackageInstrumentsSingleTargets) {
  const RunOptions options{.env = {{"CC", GetParam().c}, {"CXX", GetParam().cxx}},
                           .cwd = dir_.path(),
                           .time_limit = 200};
  const std::string project =
      std::string(JOSTLE_SOURCE_DIR) + "/tests/e2e/projects/package_project";
  const Result configured =
      run({"cmake", "-S", project, "-B", "build", "-DCMAKE_PREFIX_PATH=" + prefix()}, options);
  ASSERT_TRUE(configured.ok()) << configured;
  const Result built = run({"cmake", "--build", "build", "--verbose"}, options);
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_THAT(built.out + built.err, Not(HasSubstr("warning:")));

  for (const std::string name : {"uses_static", "uses_shared"}) {
    expect_bound_to_jostle(dir_.file("build/" + name));
    const Result ran = run({dir_.file("build/" + name)});
    EXPECT_TRUE(ran.ok()) << name << ran;
  }
  EXPECT_THAT(hooks(dir_.file("build/libcounter.a")), Contains("__tsan_write4"));
  EXPECT_THAT(hooks(dir_.file("build/libstack.so")), Contains("__tsan_func_entry"));
  EXPECT_THAT(hooks(dir_.file("build/uses_shared")), Contains("__tsan_func_entry"));

  EXPECT_THAT(hooks(dir_.file("build/plain")), IsEmpty());
  EXPECT_THAT(dynamic_entries(dir_.file("build/plain"), "NEEDED"), Not(Contains("libjostle.so")));
}

TEST_P(InstallTest, ThePackageAddsTestsThatExploreThemselves) {
  const RunOptions options{.env = {{"CXX", GetParam().cxx}}, .cwd = dir_.path(), .time_limit = 280};
  const std::string project = std::string(JOSTLE_SOURCE_DIR) + "/tests/e2e/projects/test_project";
  const Result configured =
      run({"cmake", "-S", project, "-B", "build", "-DCMAKE_PREFIX_PATH=" + prefix()}, options);
  ASSERT_TRUE(configured.ok()) << configured;
  const Result built = run({"cmake", "--build", "build"}, options);
  ASSERT_TRUE(built.ok()) << built;
  const Result tested =
      run({"ctest", "--test-dir", "build", "--output-on-failure", "--output-junit", "junit.xml"},
          options);
  EXPECT_NE(tested.exit_code, 0);
  EXPECT_THAT(tested.out, HasSubstr("75% tests passed, 1 tests failed out of 4")) << tested;
  EXPECT_THAT(tested.out, HasSubstr("Queue.PopsOnlyWhatIsThere"));
  EXPECT_THAT(tested.out, HasSubstr("Actual: true")) << tested;
  EXPECT_THAT(read_file(dir_.path() / "build/junit.xml"), HasSubstr("Queue.KeepsWhatIsPushed"));
}

}  // namespace
}  // namespace jostle::test
