// SPDX-License-Identifier: Apache-2.0
// What counts as a failure of a run, and what is made of a process that died without a word.
#include "src/engine/run_outcome.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>

namespace jostle::engine {
namespace {

using channel::Outcome;

int exited_with(int code) { return code << 8; }
int died_of(int signal) { return signal; }

channel::Failure end_of(Outcome outcome, int code = 0) {
  channel::Failure end{};
  end.outcome = outcome;
  end.code = code;
  return end;
}

TEST(RunOutcome, EveryEndButAGoodExitIsAFailure) {
  const channel::Config config{};
  EXPECT_FALSE(is_failure(config, end_of(Outcome::exited, 0)));
  EXPECT_TRUE(is_failure(config, end_of(Outcome::exited, 1)));
  EXPECT_TRUE(is_failure(config, end_of(Outcome::exited, 255)));
  for (const Outcome outcome : {Outcome::signalled, Outcome::deadlock, Outcome::livelock,
                                Outcome::assertion, Outcome::race, Outcome::timed_out}) {
    EXPECT_TRUE(is_failure(config, end_of(outcome)));
  }
}

TEST(RunOutcome, WhatWeEndOurselvesIsNone) {
  const channel::Config config{};
  EXPECT_FALSE(is_failure(config, end_of(Outcome::stopped)));
  EXPECT_FALSE(is_failure(config, end_of(Outcome::cut_off)));
}

TEST(RunOutcome, TheUserSaysWhichCodesAreGood) {
  channel::Config config{};
  config.exit_codes_ok[77 / 64] |= uint64_t{1} << (77 % 64);
  EXPECT_FALSE(is_failure(config, end_of(Outcome::exited, 77)));
  EXPECT_TRUE(is_failure(config, end_of(Outcome::exited, 76)));
  config.any_exit_code_ok = 1;
  EXPECT_FALSE(is_failure(config, end_of(Outcome::exited, 76)));
  EXPECT_TRUE(is_failure(config, end_of(Outcome::signalled, SIGSEGV)));
}

// A channel is sparse and large: of the system's memory, not of the test's.
class InChannel : public testing::Test {
 protected:
  InChannel()
      : channel_(*static_cast<channel::Channel*>(
            mmap(nullptr, sizeof(channel::Channel), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~InChannel() override { munmap(&channel_, sizeof(channel::Channel)); }
  channel::Failure& end() { return channel_.record.end; }

  channel::Channel& channel_;
};

TEST_F(InChannel, TheKernelKnowsWhatTheRuntimeDidNotSay) {
  end() = end_of(Outcome::running);
  settle_outcome(channel_.record, exited_with(3));
  EXPECT_EQ(end().outcome, Outcome::exited);
  EXPECT_EQ(end().code, 3);
  end() = end_of(Outcome::running);
  settle_outcome(channel_.record, died_of(SIGKILL));
  EXPECT_EQ(end().outcome, Outcome::signalled);
  EXPECT_EQ(end().code, SIGKILL);
}

// It said that it exits, and a destructor died.
TEST_F(InChannel, AnExitThatDidNotComeIsNone) {
  end() = end_of(Outcome::exited, 0);
  settle_outcome(channel_.record, died_of(SIGSEGV));
  EXPECT_EQ(end().outcome, Outcome::signalled);
}

TEST_F(InChannel, WhatTheRuntimeSaidStays) {
  end() = end_of(Outcome::deadlock);
  settle_outcome(channel_.record, exited_with(0));
  EXPECT_EQ(end().outcome, Outcome::deadlock);
}

TEST_F(InChannel, AFilterThatKillsMayHaveMeantUs) {
  end() = end_of(Outcome::signalled, SIGSYS);
  settle_refused_call(channel_, died_of(SIGSYS));
  EXPECT_EQ(end().outcome, Outcome::signalled);  // the program has no filter
  channel_.status.uncontrolled = channel::kFiltersCalls;
  settle_refused_call(channel_, died_of(SIGSEGV));
  EXPECT_EQ(end().outcome, Outcome::signalled);
  settle_refused_call(channel_, died_of(SIGSYS));
  EXPECT_EQ(end().outcome, Outcome::unsupported);
  EXPECT_NE(end().message[0], '\0');
}

}  // namespace
}  // namespace jostle::engine
