// SPDX-License-Identifier: Apache-2.0
#include "src/strategy/guided/claim.h"

#include <gtest/gtest.h>

#include <string>

namespace jostle {
namespace {

std::string text_of(const Claim& claim) {
  char text[128];
  write_claim(claim, text, sizeof text);
  return text;
}

TEST(Claim, IsReadAsItWasWritten) {
  for (const Claim& claim :
       {Claim{Claim::Kind::after, 1, 20, 2, 31},
        Claim{Claim::Kind::after, 0, 1, UINT32_MAX, UINT64_MAX},
        Claim{Claim::Kind::through, 7, UINT64_MAX, 7, 0}, Claim{.kind = Claim::Kind::certain}}) {
    EXPECT_EQ(read_claim(text_of(claim)), claim) << text_of(claim);
  }
  EXPECT_EQ(text_of({Claim::Kind::after, 1, 20, 2, 31}), "claim:after,1,20,2,31");
}

TEST(Claim, WhatIsNoneIsRefused) {
  for (const char* text : {"", "pos", "claim:", "claim:after", "claim:after,1,2,3",
                           "claim:after,1,2,3,", "claim:after,1,2,3,4,5", "claim:before,1,2,3,4",
                           "claim:after,-1,2,3,4", "claim:after,1,2,3,99999999999999999999"}) {
    EXPECT_FALSE(read_claim(text)) << text;
  }
}

}  // namespace
}  // namespace jostle
