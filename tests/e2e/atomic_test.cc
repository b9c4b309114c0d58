// SPDX-License-Identifier: Apache-2.0
// Functions that are to look atomic (`fuzz --atomic`): those that do not are found without an
// assertion, those that do stay silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Of tests/programs/atomic/functions.cc.
struct Functions {
  const char* name;  // its argument
  const char* pattern;
  const char* difference;  // that is shown; null: they look atomic
};

void PrintTo(const Functions& functions, std::ostream* to) { *to << functions.name; }

class Atomic : public testing::TestWithParam<Functions> {
 protected:
  Result fuzz(const std::string& executor) {
    return jostle({"fuzz", "-t", "3s", "--quiet", "--seed", "1", "--executor", executor, "--atomic",
                   GetParam().pattern, "--", program("gcc", "atomic/functions"), GetParam().name},
                  {.cwd = dir_.path(), .time_limit = 60});
  }
  TempDir dir_;
};

class NotAtomic : public Atomic {};

TEST_P(NotAtomic, IsFoundAndReplays) {
  for (const char* executor : {"snapshot", "fork"}) {
    fs::remove_all(dir_.path() / "jostle-out");
    const Result found = fuzz(executor);
    ASSERT_EQ(found.exit_code, 77) << executor << "\n" << found;
    EXPECT_THAT(found.out, AllOf(HasSubstr("NOT ATOMIC"), HasSubstr(GetParam().difference)));
  }
  const std::string file = recording_in(dir_.path());
  const Result again = jostle({"replay", "--format", "json", file}, {.cwd = dir_.path()});
  EXPECT_EQ(again.exit_code, 77) << again;
  const auto json = nlohmann::json::parse(again.out, nullptr, false);
  ASSERT_TRUE(json.is_object() && json["findings"].size() == 1) << again;
  EXPECT_EQ(json["findings"][0]["kind"], "atomic");
  EXPECT_FALSE(json["findings"][0]["result"]["differences"].empty()) << again;
}

std::string name_of(const testing::TestParamInfo<Functions>& info) { return info.param.name; }

constexpr Functions kBroken[] = {
    {"cache", "Cache::*", "cache.added_: 1 (here: 2)"},
    {"counter", "Counter::*", "counter.value_: 2 (here: 1)"},
    {"heap_counter", "Counter::*", "3 (here: "},
    {"stack_counter", "Counter::*", "2 (here: 1)"},
    {"exit_status", "Counter::*", "exit status: 0 (here: 1)"},
    {"bank", "Bank::*", "output: \"200"},
    {"numbers", "Dispenser::*", "numbers[1]: "},
};
INSTANTIATE_TEST_SUITE_P(All, NotAtomic, testing::ValuesIn(kBroken), name_of);

class LooksAtomic : public Atomic {};

TEST_P(LooksAtomic, AndIsSilent) {
  for (const char* executor : {"snapshot", "fork"}) {
    const Result silent = fuzz(executor);
    EXPECT_EQ(silent.exit_code, 0) << executor << "\n" << silent;
    // What reads the clock is not judged, which is said.
    if (std::string(GetParam().name) != "stamped_ok") continue;
    EXPECT_THAT(silent.out + silent.err, HasSubstr("it is not known")) << silent;
  }
}

constexpr Functions kRight[] = {
    {"cache_ok", "Cache::*", nullptr},     {"counter_ok", "Counter::*", nullptr},
    {"bank_ok", "Bank::*", nullptr},       {"place_ok", "Place::*", nullptr},
    {"outside_ok", "Counter::*", nullptr}, {"stamped_ok", "Stamped::*", nullptr},
    {"boxes_ok", "Box::*", nullptr},
};
INSTANTIATE_TEST_SUITE_P(All, LooksAtomic, testing::ValuesIn(kRight), name_of);

// What nobody has written is no difference: padding of what is copied as a whole, an optional's
// value when it has none.
TEST(AtomicCopies, DifferOnlyInWhatWasWritten) {
  const TempDir dir;
  const std::string source = JOSTLE_SOURCE_DIR "/tests/programs/atomic/copied_whole.cc";
  const bool is_long = long_or_short(1, 0) == 1;
  for (const char* level : {"-O0", "-O1"}) {
    const std::string program = dir.file(std::string("copied") + level);
    const Result built =
        jostle({"c++", "-g", level, "-fno-inline", "-std=c++20", source, "-o", program});
    ASSERT_TRUE(built.ok()) << built;
    const auto fuzz = [&](const std::string& seed, const std::vector<std::string>& arguments) {
      std::vector<std::string> words = {
          "fuzz", "-t",   is_long ? "3s" : "1s", "--quiet", "--seed", seed, "--atomic", "Slot::*",
          "--",   program};
      words.insert(words.end(), arguments.begin(), arguments.end());
      return jostle(words, {.cwd = dir.path(), .time_limit = 60});
    };
    for (const std::string seed : {"1", "2", "3"}) {
      if (seed != "1" && !is_long) break;
      const Result silent = fuzz(seed, {});
      EXPECT_EQ(silent.exit_code, 0) << level << " seed " << seed << "\n" << silent;
    }
    const Result found = fuzz("1", {"broken"});
    EXPECT_EQ(found.exit_code, 77) << level << "\n" << found;
    EXPECT_THAT(found.out, HasSubstr("NOT ATOMIC")) << level;
  }
}

// The runs to compare with read the same input, whoever has read it before.
TEST(AtomicInput, IsReadByAllRunsAndTheFailureIsMadeSmall) {
  const TempDir dir;
  const auto fuzz = [&](const char* name) {
    return jostle({"fuzz", "-n", "400", "--seed", "1", "--atomic", "Counter::*", "--",
                   program("gcc", "atomic/functions"), name},
                  {.input = "2\n", .cwd = dir.path()});
  };
  const Result found = fuzz("input");
  EXPECT_EQ(found.exit_code, 77) << found;
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("counter.value_: 4 (here: "), HasSubstr("minimised to 1")));
  EXPECT_THAT(found.out + found.err, testing::Not(HasSubstr("not minimised"))) << found;
  const Result silent = fuzz("input_ok");
  EXPECT_EQ(silent.exit_code, 0) << silent;
}

TEST(AtomicOption, WantsFunctionsThatAreThere) {
  const TempDir dir;
  const auto fuzz = [&](const std::string& pattern) {
    return jostle({"fuzz", "-n", "10", "--atomic", pattern, "--",
                   program("gcc", "atomic/functions"), "cache"},
                  {.cwd = dir.path()});
  };
  const Result unknown = fuzz("Cash::*");
  EXPECT_EQ(unknown.exit_code, 2) << unknown;
  EXPECT_THAT(unknown.err, HasSubstr("no function of the program")) << unknown;
  const Result inlined = fuzz("Bank::take");
  EXPECT_EQ(inlined.exit_code, 2) << inlined;
  EXPECT_THAT(inlined.err, HasSubstr("-fno-inline")) << inlined;
  EXPECT_EQ(fuzz("").exit_code, 2);
  const Result inputs = jostle({"fuzz", "--atomic", "f", "--input", ".", "--", "/bin/true"});
  EXPECT_EQ(inputs.exit_code, 2) << inputs;
  EXPECT_THAT(inputs.err, testing::HasSubstr("choose one")) << inputs;
}

}  // namespace
}  // namespace jostle::test
