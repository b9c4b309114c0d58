// SPDX-License-Identifier: Apache-2.0
// `jostle cover`: which places of a program its schedules bring together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class Cover : public testing::Test {
 protected:
  Result cover(std::vector<std::string> more) {
    std::vector<std::string> words = {"cover", "-n", "50", "--seed", "3", "--strategy", "rff"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", program("gcc", "inputs/orders")});
    return jostle(words, {.input = "BUY 5\nBUY 12\n"});
  }
};

TEST_F(Cover, NamesThePlacesOfTheProgramAndNotThoseOfTheLibrary) {
  const Result result = cover({});
  ASSERT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, AllOf(HasSubstr("50 schedules, "), HasSubstr("work (orders.cc:")));
  // What it calls in the library by name is there; templates that became its own code are not.
  EXPECT_THAT(result.out, Not(AnyOf(HasSubstr("std::_"), HasSubstr("std::reference_wrapper"),
                                    HasSubstr("controlled_main"))))
      << result;
}

TEST_F(Cover, IsJsonOnRequest) {
  const Result result = cover({"--json", "--depth", "1"});
  ASSERT_EQ(result.exit_code, 0) << result;
  const json root = json::parse(result.out);
  EXPECT_EQ(root["format"], "jostle-cover");
  EXPECT_EQ(root["schedules"], 50);
  EXPECT_EQ(root["depth"], 1);
  for (const char* kind : {"functions", "contexts", "reads_from", "locks"}) {
    ASSERT_FALSE(root["pairs"][kind].empty()) << kind;
    EXPECT_GT(root["pairs"][kind][0]["count"], 0) << kind;
    EXPECT_FALSE(root["pairs"][kind][0]["left"].get<std::string>().empty()) << kind;
  }
  EXPECT_EQ(cover({"--json", "--depth", "1"}).out, result.out) << "the same seed";
}

}  // namespace
}  // namespace jostle::test
