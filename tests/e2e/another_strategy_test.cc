// SPDX-License-Identifier: Apache-2.0
// A new strategy is one file and one line: tests/another_strategy has both, and the command and the
// runtime are linked once more with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/small_programs.h"
#include "tests/e2e/support.h"

namespace jostle::test {
namespace {

using testing::HasSubstr;

class AnotherStrategy : public testing::Test {
 protected:
  Result with_it(std::vector<std::string> words) {
    const std::string build = JOSTLE_BUILD_DIR "/tests/another_strategy";
    words.insert(words.begin(), build + "/bin/jostle");
    return run(words, {.env = {{"JOSTLE_LIB", build + "/lib"}}, .cwd = folder_.path()});
  }

  TempDir folder_;
};

// Which thread comes first is all that it prints.
constexpr char kWhoIsFirst[] = R"(
#include <pthread.h>
#include <stdio.h>
static void* say(void* name) {
  puts(name);
  return name;
}
int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, say, "one");
  pthread_create(&two, NULL, say, "two");
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
)";

TEST_F(AnotherStrategy, IsOneFileAndOneLine) {
  const Result list = with_it({"strategies"});
  EXPECT_THAT(list.out, HasSubstr("backwards           the last thread first\n"));
  EXPECT_THAT(list.out, HasSubstr("preempt (no|yes; usually no): whoever is last"));
  const std::string program = build(folder_, "first", kWhoIsFirst);
  EXPECT_EQ(with_it({"run", "--strategy", "none", program}).out, "one\ntwo\n");
  EXPECT_EQ(with_it({"run", "--strategy", "backwards", program}).out, "two\none\n");
  EXPECT_EQ(with_it({"run", "--strategy", "backwards:preempt=yes", program}).out, "one\ntwo\n");
  const Result wrong = with_it({"run", "--strategy", "backwards:pre=no", program});
  EXPECT_THAT(wrong.err, HasSubstr("no parameter of backwards `pre': did you mean preempt?"));
  const Result campaign = with_it({"fuzz", "--strategy", "backwards", "-n", "10", program});
  EXPECT_TRUE(campaign.ok()) << campaign;
  EXPECT_THAT(jostle({"run", "--strategy", "backwards", program}).err,
              HasSubstr("no strategy `backwards'"))
      << "the release has none";
}

}  // namespace
}  // namespace jostle::test
