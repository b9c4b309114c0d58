// `cmake --install` into an empty prefix gives a working command and a CMake package.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/elf.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
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
