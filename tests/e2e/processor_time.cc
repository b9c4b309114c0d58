// SPDX-License-Identifier: Apache-2.0
// Says in GoogleTest's results how many seconds of processor time each test took with all that it
// started: what continuous integration has little of, whatever else the machine does.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <string>

namespace {

double used(int who) {
  rusage use{};
  getrusage(who, &use);
  const auto seconds = [](const timeval& time) {
    return double(time.tv_sec) + double(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

class ProcessorTime : public testing::EmptyTestEventListener {
  double before_ = 0;

  void OnTestStart(const testing::TestInfo&) override {
    before_ = used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
  }
  void OnTestEnd(const testing::TestInfo&) override {
    const double now = used(RUSAGE_SELF) + used(RUSAGE_CHILDREN);
    testing::Test::RecordProperty("processor_seconds", std::to_string(now - before_));
  }
};

const bool listening = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new ProcessorTime);
  return true;
}();

}  // namespace
