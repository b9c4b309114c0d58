// SPDX-License-Identifier: Apache-2.0
// What a violated invariant says, and how it ends the process; what one costs that is not checked.
#include "src/base/check.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "src/base/in_handler.h"

namespace jostle {
namespace {

const auto by_abort = testing::KilledBySignal(SIGABRT);

TEST(CheckDeathTest, SaysWhereAndWhat) {
  EXPECT_EXIT(
      invariant::violated("/somewhere/src/base/x.cc", 12, "a && b"), by_abort,
      "^jostle: a bug in jostle, not in the program: src/base/x.cc:12: violated: a && b\n$");
}

TEST(CheckDeathTest, SaysBothValues) {
  EXPECT_EXIT(invariant::compare<invariant::Equal>(uint32_t{7}, -8, "x.cc", 3, "a == b"), by_abort,
              "x.cc:3: violated: a == b \\(7, -8\\)");
  EXPECT_EXIT(invariant::compare<invariant::Different>(UINT64_MAX, UINT64_MAX, "x.cc", 3, "a != b"),
              by_abort, "\\(18446744073709551615, 18446744073709551615\\)");
  EXPECT_EXIT(invariant::compare<invariant::Equal>(
                  reinterpret_cast<char*>(0x1f0), static_cast<char*>(nullptr), "x.cc", 3, "p == q"),
              by_abort, "\\(0x1f0, 0x0\\)");
  EXPECT_EXIT(invariant::compare<invariant::Less>(INT64_MIN, INT64_MIN, "x.cc", 3, "a < b"),
              by_abort, "\\(-9223372036854775808, -9223372036854775808\\)");
}

// Signs are no trap: -1 is less than every natural number.
TEST(Check, ComparesNumbersByTheirValues) {
  invariant::compare<invariant::Less>(-1, uint32_t{0}, "x.cc", 1, "");
  invariant::compare<invariant::AtMost>(int64_t{-1}, uint64_t{0}, "x.cc", 1, "");
  invariant::compare<invariant::Different>(-1, UINT32_MAX, "x.cc", 1, "");
  invariant::compare<invariant::AtMost>(uint8_t{3}, uint64_t{3}, "x.cc", 1, "");
}

TEST(CheckDeathTest, CutsWhatIsTooLong) {
  const std::string condition(2000, 'x');
  EXPECT_EXIT(invariant::violated("y.cc", 1, condition.c_str()), by_abort, "violated: x+");
}

// A handler of the program's, or of a fuzzer's, must not take it for the program's failure.
TEST(CheckDeathTest, AsksNoHandler) {
  const auto ignoring_abort = [] {
    std::signal(SIGABRT, [](int) { _exit(0); });
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    invariant::violated("z.cc", 1, "ok");
  };
  EXPECT_EXIT(ignoring_abort(), by_abort, "z.cc:1: violated: ok");
}

// For who watches the process: memory that survives it, as far as there is room.
TEST(CheckDeathTest, LeavesTheTextWhereItIsRead) {
  constexpr size_t kRoom = 48;
  char* text = static_cast<char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(text, MAP_FAILED);
  text[kRoom] = '#';
  const auto short_of_room = [text] {
    report_checks_to(text, kRoom);
    invariant::violated("w.cc", 1, "a long condition that does not fit");
  };
  EXPECT_EXIT(short_of_room(), by_abort, "a long condition that does not fit");
  EXPECT_STREQ(text, "a bug in jostle, not in the program: w.cc:1: vi");
  EXPECT_EQ(text[kRoom], '#');
  munmap(text, 4096);
}

TEST(Check, IsNotEvaluatedElsewhere) {
  int evaluated = 0;
  [[maybe_unused]] const auto count = [&] { return ++evaluated; };
  JOSTLE_CHECK(count() != 0);
  JOSTLE_CHECK_LE(1, count());
  JOSTLE_CHECKED(++evaluated);
#ifdef JOSTLE_CHECKS
  EXPECT_EQ(evaluated, 3);
#else
  EXPECT_EQ(evaluated, 0);
#endif
}

TEST(Check, KnowsWhetherAHandlerRuns) {
  EXPECT_FALSE(in_handler());
  {
    const InHandler outer;
#ifdef JOSTLE_CHECKS
    EXPECT_TRUE(in_handler());
#endif
    { const InHandler inner; }
#ifdef JOSTLE_CHECKS
    EXPECT_TRUE(in_handler());
#endif
    leaves_handler();
    EXPECT_FALSE(in_handler());
  }
  EXPECT_FALSE(in_handler());
}

}  // namespace
}  // namespace jostle
