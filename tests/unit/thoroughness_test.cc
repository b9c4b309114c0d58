// SPDX-License-Identifier: Apache-2.0
// What Good and Turing say of a campaign that found nothing, compared with draws from distributions
// whose missing mass is known.
#include "src/cli/support/thoroughness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "src/base/rng.h"
#include "src/cli/folder/segment.h"

namespace jostle::cli {
namespace {

using testing::HasSubstr;

TEST(Thoroughness, IsUnknownWithoutRuns) {
  EXPECT_FALSE(thoroughness_of(0, {}).is_known());
  EXPECT_EQ(describe(Thoroughness{}), "");
}

TEST(Thoroughness, CountsWhatCameOnce) {
  const Thoroughness it = thoroughness_of(1000, {{1, 10}, {2, 5}, {980, 1}});
  EXPECT_EQ(it.classes, 16u);
  EXPECT_EQ(it.singletons, 10u);
  EXPECT_DOUBLE_EQ(it.new_class, 0.01);
  EXPECT_EQ(it.runs_to_new_class(), 100u);
  EXPECT_NEAR(it.failure_below, 0.003, 0.0001);  // the rule of three
  EXPECT_EQ(describe(it),
            "10 of 16 data flows came once, the next new one is expected after 100 runs; a further "
            "run fails with a chance below 0.30 % (95 %), if it is drawn like these");
}

TEST(Thoroughness, WithoutSingletonsNothingIsPromised) {
  const Thoroughness it = thoroughness_of(1000, {{500, 2}});
  EXPECT_EQ(it.runs_to_new_class(), 0u);
  EXPECT_GT(it.new_class_below, 0);
  EXPECT_THAT(describe(it), HasSubstr("each of 2 data flows came more than once"));
}

TEST(Thoroughness, AfterOneRunAnythingMayFail) {
  const Thoroughness it = thoroughness_of(1, {{1, 1}});
  EXPECT_DOUBLE_EQ(it.new_class_below, 1);
  EXPECT_NEAR(it.failure_below, 0.95, 1e-9);
}

// Classes with chances like 1/k: many are rare.
class Zipf {
 public:
  explicit Zipf(size_t classes) {
    for (size_t i = 1; i <= classes; ++i) chances_.push_back(1 / static_cast<double>(i));
    double sum = 0;
    for (const double chance : chances_) sum += chance;
    for (double& chance : chances_) chance /= sum;
  }
  size_t draw(Rng& rng) const {
    double point = rng.unit();
    size_t at = 0;
    while (at + 1 < chances_.size() && point >= chances_[at]) point -= chances_[at++];
    return at;
  }
  double chance(size_t i) const { return chances_[i]; }
  size_t size() const { return chances_.size(); }

 private:
  std::vector<double> chances_;
};

TEST(Thoroughness, EstimatesTheMissingMassAndBoundsIt) {
  const Zipf zipf(3000);
  constexpr int kCampaigns = 60;
  double sum_of_errors = 0;
  int bounded = 0;
  for (int campaign = 0; campaign < kCampaigns; ++campaign) {
    Rng rng(static_cast<uint64_t>(campaign) + 1);
    std::vector<uint64_t> seen(zipf.size());
    constexpr uint64_t kRuns = 2000;
    for (uint64_t i = 0; i < kRuns; ++i) ++seen[zipf.draw(rng)];
    double missing = 0;
    std::map<uint64_t, uint64_t> histogram;
    for (size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] == 0) missing += zipf.chance(i);
      if (seen[i] != 0) ++histogram[seen[i]];
    }
    const Thoroughness it = thoroughness_of(kRuns, histogram);
    sum_of_errors += it.new_class - missing;
    EXPECT_NEAR(it.new_class, missing, 0.05);
    bounded += missing <= it.new_class_below;
  }
  EXPECT_NEAR(sum_of_errors / kCampaigns, 0, 0.005);  // without bias
  EXPECT_GE(bounded, kCampaigns * 95 / 100);
}

// A campaign tells of one class in 2^bits: the estimates are about the same.
TEST(Thoroughness, CanBeEstimatedFromClassesThatAHashPicks) {
  Rng rng(1);
  const Zipf zipf(20'000);
  std::map<uint64_t, uint64_t> seen;
  constexpr uint64_t kRuns = 20'000;
  for (uint64_t i = 0; i < kRuns; ++i) ++seen[zipf.draw(rng) * 0x9E3779B97F4A7C15 + 1];
  std::map<uint64_t, uint64_t> all, some;
  constexpr uint32_t kBits = 2;
  for (const auto& [hash, runs] : seen) {
    ++all[runs];
    if (is_sent(hash, kBits)) ++some[runs];
  }
  const Thoroughness exact = thoroughness_of(kRuns, all);
  const Thoroughness sampled = thoroughness_of(kRuns, some, kBits);
  EXPECT_TRUE(sampled.is_estimate);
  EXPECT_NEAR(sampled.new_class / exact.new_class, 1, 0.1);
  EXPECT_NEAR(static_cast<double>(sampled.classes) / static_cast<double>(exact.classes), 1, 0.1);
  EXPECT_THAT(describe(sampled), testing::StartsWith("about "));
}

TEST(Thoroughness, AFailureThatIsRarerThanTheBoundIsMissedOneTimeInTwenty) {
  const Thoroughness it = thoroughness_of(500, {{500, 1}});
  EXPECT_NEAR(std::pow(1 - it.failure_below, 500), 0.05, 1e-9);
}

}  // namespace
}  // namespace jostle::cli
