// SPDX-License-Identifier: Apache-2.0
// Signs that are not ASCII, for who wants none.
#include "src/cli/support/plain_signs.h"

#include <gtest/gtest.h>

namespace jostle::cli {
namespace {

TEST(PlainSigns, AreForThoseWhoSaySo) {
  EXPECT_TRUE(wants_ascii("C", nullptr, "en_US.UTF-8"));
  EXPECT_TRUE(wants_ascii("", "POSIX", nullptr));
  EXPECT_TRUE(wants_ascii(nullptr, nullptr, "de_DE.ISO-8859-1@euro"));
  EXPECT_FALSE(wants_ascii(nullptr, nullptr, nullptr));
  EXPECT_FALSE(wants_ascii("", "", ""));
  EXPECT_FALSE(wants_ascii("C.UTF-8", nullptr, nullptr));
  EXPECT_FALSE(wants_ascii(nullptr, nullptr, "de_DE.utf8"));
  EXPECT_FALSE(wants_ascii(nullptr, nullptr, "de_DE"));
}

TEST(PlainSigns, ReplaceOurOwnAlsoWhenCutInTwo) {
  const std::string text = "a … b → c · d ── ✗ │ näme";
  const std::string expected = "a ... b -> c - d -- x | näme";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    PlainSigns signs;
    std::string got = signs.translate(text.substr(0, cut));
    got += signs.translate(text.substr(cut));
    EXPECT_EQ(got + signs.rest(), expected) << cut;
  }
  PlainSigns signs;
  EXPECT_EQ(signs.translate("x\xE2\x80"), "x");
  EXPECT_EQ(signs.rest(), "\xE2\x80");
}

}  // namespace
}  // namespace jostle::cli
