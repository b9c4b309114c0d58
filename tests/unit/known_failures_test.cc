// SPDX-License-Identifier: Apache-2.0
// What leads to failures that are known is avoided, and only that.
#include "src/strategy/known_failures.h"

#include <gtest/gtest.h>

#include "tests/unit/model_program.h"

namespace jostle {
namespace {

class Nobody final : public Observer {
 public:
  void run_begins() override {}
  void observed(const Event&, bool) override {}
  void paired(uint64_t, uint64_t) override {}
};

constexpr uintptr_t kA = 0x100;

Operation at(Operation op, uintptr_t pc) {
  op.pc = pc;
  return op;
}

// Partial order sampling with what is known: fails when the read observes the first write.
class Campaign final : public Strategy {
 public:
  Turn begin_run(const RunStart& start) override {
    rng_.reseed(start.seed);
    return {known_.bend(pos_->begin_run(start).decider, rng_)};
  }
  Parts parts() override { return {.names = true, .observer = &known_}; }
  void after_run(const channel::RunRecord&) override {}

  // The share of runs in which the read observes the first write.
  double share_of_runs(bool fails, int runs) {
    int with = 0;
    for (int i = 0; i < runs; ++i) {
      model_.run(*this, ++seed_);
      const bool has = model_.pairs().contains({write_event(kA, 1), read_event(kA, 3)});
      with += has;
      record().end.outcome = has && fails ? channel::Outcome::assertion : channel::Outcome::exited;
      known_.after_run(record());
    }
    return static_cast<double>(with) / runs;
  }

 private:
  Nobody nobody_;
  KnownFailures known_{&nobody_};
  Strategy* pos_ = make_strategy("pos");
  Rng rng_;
  uint64_t seed_ = 0;
  Model model_{{{at(writes(kA), 1), at(writes(kA), 2)}, {at(reads(kA), 3)}}};
};

TEST(KnownFailures, AreAvoided) {
  const double usual = Campaign().share_of_runs(false, 400);
  Campaign failing;
  failing.share_of_runs(true, 20);
  const double share = failing.share_of_runs(true, 400);
  EXPECT_GT(usual, 0.15);
  EXPECT_LT(share, usual / 2);
  EXPECT_GT(share, 0) << "some runs are left alone";
}

TEST(KnownFailures, WhatRunsHaveThatDoNotFailIsInnocent) {
  const double usual = Campaign().share_of_runs(false, 400);
  Campaign campaign;
  campaign.share_of_runs(true, 20);
  campaign.share_of_runs(false, 40);  // the same pair, and no failure
  EXPECT_NEAR(campaign.share_of_runs(false, 400), usual, 0.08);
}

}  // namespace
}  // namespace jostle
