// SPDX-License-Identifier: Apache-2.0
// Which lines of a source assert something.
#include "src/report/symbols/assertions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jostle::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Assertions, AreCodeAndNothingElse) {
  EXPECT_THAT(lines_with_assert(
                  {"#include <cassert>", "int main() {", "  assert(x == 1);", "  // assert(y);",
                   "  /* assert(y);", "  assert(z); */ assert (a);", "  static_assert(true);",
                   "  puts(\"assert(b)\");", "  my::assert_all(c); check.assert(d); my::assert(e);",
                   "  char q = '\"'; assert(q);"}),
              ElementsAre(3, 6, 10));
}

TEST(Assertions, OfAnotherKindAreNotLibcs) {
  EXPECT_THAT(lines_with_assert({"#define assert(x) check(x)", "assert(a);"}), IsEmpty());
}

TEST(Assertions, NothingIsKnownOfWhatCannotBeRead) {
  EXPECT_EQ(lost_assertions("/nowhere").count, 0u);
  EXPECT_EQ(lost_assertions("/etc/passwd").count, 0u);
}

}  // namespace
}  // namespace jostle::report
