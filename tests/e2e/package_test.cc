// SPDX-License-Identifier: Apache-2.0
// `cpack` makes a Debian package that works: unpacked anywhere, and in every part that it promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/e2e/elf.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kUsesHeaders[] = R"(
#include <atomic>
#include <cassert>
#include <cstdio>
#include <jostle/jostle.hpp>
#include <thread>

int main() {
  try {
    jostle::check([] {
      int counter = 0;
      const auto increment = [&] { ++counter; };
      std::thread one(increment), two(increment);
      one.join();
      two.join();
      jostle::require(counter == 2);
    });
  } catch (const jostle::failure&) {
    std::puts("found");
  }
}
)";

// The commands that the overview lists: two spaces, a name, more spaces, a summary.
std::vector<std::string> listed_commands(const std::string& jostle) {
  std::istringstream overview(run({jostle, "--help"}).out);
  std::vector<std::string> names;
  for (std::string line; std::getline(overview, line) && !line.starts_with("first minute");) {
    if (!line.starts_with("  ") || line.starts_with("  -")) continue;
    names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

// Packed and unpacked once for all tests of a process: that takes longer than any of them.
struct Unpacked {
  TempDir folder;
  fs::path file;

  void make() {
    const Result packed =
        run({"cpack", "--config", std::string(JOSTLE_BUILD_DIR) + "/CPackConfig.cmake", "-B",
             folder.file("packed")},
            {.time_limit = 300});
    ASSERT_TRUE(packed.ok()) << packed;
    for (const auto& entry : fs::directory_iterator(folder.file("packed"))) {
      if (entry.path().extension() == ".deb") file = entry.path();
    }
    ASSERT_THAT(file.filename().string(), testing::MatchesRegex("jostle_0[.].*_(arm64|amd64).deb"));
    const Result unpacked = run({"dpkg", "-x", file, folder.file("root")});
    ASSERT_TRUE(unpacked.ok()) << unpacked;
  }
};

class Package : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    unpacked_ = std::make_unique<Unpacked>();
    unpacked_->make();
  }
  static void TearDownTestSuite() { unpacked_.reset(); }

  std::string usr() const { return unpacked_->folder.file("root/usr"); }
  std::string field(const std::string& name) const {
    return run({"dpkg-deb", "-f", unpacked_->file, name}).out;
  }

  static inline std::unique_ptr<Unpacked> unpacked_;
  TempDir dir_;
};

TEST_F(Package, Works) {
  EXPECT_EQ("jostle " + field("Version"), run({usr() + "/bin/jostle", "--version"}).out);
  EXPECT_THAT(field("Depends"), HasSubstr("libdw1"));
  EXPECT_THAT(field("Depends"), HasSubstr("libstdc++6"));
  EXPECT_THAT(field("Depends"), HasSubstr("libc6"));
  EXPECT_THAT(field("Depends"), Not(HasSubstr("-dev")));
  EXPECT_EQ(field("Recommends"), "g++ | clang\n");

  const RunOptions options{.cwd = dir_.path(), .time_limit = 120};
  const std::string example = std::string(JOSTLE_SOURCE_DIR) + "/examples/bank.cc";
  const Result built =
      run({usr() + "/bin/jostle", "c++", "-g", "-O1", example, "-o", "bank"}, options);
  ASSERT_TRUE(built.ok()) << built;
  EXPECT_THAT(dynamic_entries(dir_.file("bank"), "RUNPATH"), Contains(usr() + "/lib"));
  const Result fuzzed = run({usr() + "/bin/jostle", "fuzz", "./bank"}, options);
  EXPECT_EQ(fuzzed.exit_code, 77) << fuzzed;
  EXPECT_THAT(fuzzed.out, HasSubstr("assertion `total == 300' in audit at bank.cc:45")) << fuzzed;
  const Result doctor = run({usr() + "/bin/jostle", "doctor", "./bank"}, options);
  EXPECT_TRUE(doctor.ok()) << doctor;
}

TEST_F(Package, HasAPageForEveryCommand) {
  const std::vector<std::string> commands = listed_commands(usr() + "/bin/jostle");
  EXPECT_THAT(commands, testing::IsSupersetOf({"cc", "c++", "fuzz", "replay", "doctor"}));
  for (const std::string& command : commands) {
    EXPECT_TRUE(fs::exists(usr() + "/share/man/man1/jostle-" + command + ".1")) << command;
  }
  size_t pages = 0;
  for (const auto& page : fs::directory_iterator(usr() + "/share/man/man1")) {
    const Result formatted =
        run({"groff", "-man", "-ww", "-Tutf8", "-P-c", "-rLL=78n", page.path()});
    EXPECT_TRUE(formatted.ok()) << formatted;
    EXPECT_THAT(formatted.err, IsEmpty()) << page.path();
    ++pages;
  }
  EXPECT_EQ(pages, commands.size() + 1);
  const Result fuzz =
      run({"groff", "-man", "-Tascii", "-P-cbou", usr() + "/share/man/man1/jostle-fuzz.1"});
  EXPECT_THAT(fuzz.out, HasSubstr("-t, --time TIME"));
  EXPECT_THAT(fuzz.out, HasSubstr("jostle fuzz --input corpus -- ./parser @@"));
}

TEST_F(Package, IsFoundByPkgConfigAndCMake) {
  // In a build that knows neither CMake nor the wrapper, with either compiler.
  dir_.write("check.cc", kUsesHeaders);
  for (const Compiler& compiler : compilers()) {
    const RunOptions options{.env = {{"PKG_CONFIG_PATH", usr() + "/lib/pkgconfig"},
                                     {"CXX", compiler.cxx},
                                     {"KIND", compiler.name}},
                             .cwd = dir_.path(),
                             .time_limit = 120};
    const Result built =
        run({"sh", "-ec",
             "$CXX -g -std=c++20 -Wall -Wextra -Werror $(pkg-config --variable=instrument_$KIND "
             "jostle) "
             "$(pkg-config --cflags jostle) check.cc -o check $(pkg-config --libs jostle)"},
            options);
    ASSERT_TRUE(built.ok()) << built;
    expect_bound_to_jostle(dir_.file("check"));
    const Result checked = run({dir_.file("check")}, options);
    EXPECT_THAT(checked.out, HasSubstr("found")) << checked;
  }
  EXPECT_EQ(run({"pkg-config", "--modversion", "jostle"},
                {.env = {{"PKG_CONFIG_PATH", usr() + "/lib/pkgconfig"}}})
                .out,
            field("Version"));

  const RunOptions options{.cwd = dir_.path(), .time_limit = 200};
  const std::string project =
      std::string(JOSTLE_SOURCE_DIR) + "/tests/e2e/projects/package_project";
  const Result configured =
      run({"cmake", "-S", project, "-B", "build", "-DCMAKE_PREFIX_PATH=" + usr()}, options);
  ASSERT_TRUE(configured.ok()) << configured;
  const Result built = run({"cmake", "--build", "build"}, options);
  ASSERT_TRUE(built.ok()) << built;
  expect_bound_to_jostle(dir_.file("build/uses_shared"));
  EXPECT_TRUE(run({dir_.file("build/uses_shared")}).ok());
}

}  // namespace
}  // namespace jostle::test
