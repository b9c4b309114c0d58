// Many threads: at once, and one after another.
#include <gtest/gtest.h>

#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

TEST(Scale, TwoThousandThreadsAlive) {
  const Result result = jostle({"run", "--timeout", "200s", "--max-steps", "100000000", "--seed",
                                "3", "--", program("gcc", "conform/scale_alive"), "2000"},
                               {.time_limit = 280});
  EXPECT_EQ(result.exit_code, 0) << result;
}

TEST(Scale, HundredThousandThreadsOneAfterAnotherInBoundedMemory) {
  // `ulimit -v` cannot be used (we reserve much address space); resident memory is what counts.
  const std::string command = "/usr/bin/env bash -c 'ulimit -t 250; exec \"$0\" \"$@\"' " +
                              jostle_bin() +
                              " run --timeout 200s --max-steps 100000000 --seed 3 -- " +
                              program("gcc", "conform/scale_sequential") + " 100000";
  const Result result =
      run({"bash", "-c",
           command + " & pid=$!; peak=0; while kill -0 $pid 2>/dev/null; do "
                     "for p in $(pgrep -P $pid); do r=$(awk '/VmRSS/{print $2}' /proc/$p/status "
                     "2>/dev/null || echo 0); [ ${r:-0} -gt $peak ] && peak=$r; done; sleep 0.05; "
                     "done; wait $pid; code=$?; echo peak $peak; exit $code"},
          {.time_limit = 280});
  EXPECT_EQ(result.exit_code, 0) << result;
  const size_t at = result.out.rfind("peak ");
  ASSERT_NE(at, std::string::npos) << result;
  EXPECT_LT(std::stol(result.out.substr(at + 5)), 200'000) << "kilobytes resident";
}

}  // namespace
}  // namespace jostle::test
