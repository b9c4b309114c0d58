// The strategies on real programs: each finds what it can, is repeatable, and does not depend on
// how runs are kept apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kSamplers[] = {
    "random", "random:sticky=2", "pct:d=2", "pct:d=3", "pos", "urw", "surw", "delay:b=2"};

class Strategies : public testing::Test {
 protected:
  json fuzz(const std::string& program, std::vector<std::string> more) {
    std::vector<std::string> words = {"fuzz", "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(program);
    const Result result = jostle(words, {.cwd = folder_.path()});
    json stats = json::parse(result.out, nullptr, false);
    EXPECT_TRUE(stats.is_object()) << result;
    return stats;
  }
  TempDir folder_;
};

TEST_F(Strategies, AreListedWithTheirParameters) {
  const Result list = jostle({"strategies"});
  EXPECT_TRUE(list.ok()) << list;
  EXPECT_THAT(list.out, HasSubstr("pct           random priorities"));
  EXPECT_THAT(list.out, HasSubstr("  d (usually 3): depth"));
}

TEST_F(Strategies, MistakesAreNamed) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  const auto wrong = [&](const std::string& strategy) {
    const Result result = jostle({"fuzz", "--strategy", strategy, program});
    EXPECT_EQ(result.exit_code, 2) << result;
    return result.err;
  };
  EXPECT_THAT(wrong("pxt"), HasSubstr("no strategy `pxt': did you mean pct?"));
  EXPECT_THAT(wrong("random:stiky=3"), HasSubstr("did you mean sticky?"));
  EXPECT_THAT(wrong("pos:d=3"), HasSubstr("no parameter of pos `d' (it has none)"));
  EXPECT_THAT(wrong("pct:d=x"), HasSubstr("expected a whole number for d of pct, not `x'"));
  EXPECT_THAT(wrong("pct:d=0"), HasSubstr("d of pct is from 1 to 1000, not 0"));
}

TEST_F(Strategies, FindALostUpdate) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  for (const char* strategy : kSamplers) {
    const json stats = fuzz(program, {"--strategy", strategy, "--seed", "1", "-n", "5000"});
    EXPECT_EQ(stats["failures_by_kind"]["assert"], 1) << strategy << stats;
    EXPECT_EQ(stats["strategy"], strategy);
  }
}

TEST_F(Strategies, NeedPreemptionForIt) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  EXPECT_EQ(fuzz(program, {"--strategy", "none", "-n", "200"})["exit_code"], 0);
  EXPECT_EQ(fuzz(program, {"--strategy", "delay:b=0", "-n", "200"})["exit_code"], 0);
}

// What a strategy has learned from earlier runs must be the same whoever ran them.
TEST_F(Strategies, DoTheSameWithAndWithoutAProcessPerRun) {
  const std::string program = build(folder_, "lost", kLostUpdate);
  for (const char* strategy : kSamplers) {
    const auto digest = [&](const char* executor) {
      return fuzz(program, {"--strategy", strategy, "--seed", "3", "-n", "60", "--keep-going",
                            "--executor", executor})["traces_digest"];
    };
    const json rewound = digest("snapshot");
    EXPECT_EQ(rewound, digest("fork")) << strategy;
    EXPECT_EQ(rewound, digest("snapshot")) << strategy << ", again";
  }
}

}  // namespace
}  // namespace jostle::test
