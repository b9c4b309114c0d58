// SPDX-License-Identifier: Apache-2.0
// What we print in ASCII, for who has said so: LC_ALL=C, or a locale of another encoding than
// UTF-8.
//
// Where nothing is said (containers mostly) it is UTF-8. Only the signs of our own texts are
// replaced; what the program is called and what it prints is passed on as it is.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace jostle::cli {

// From what the environment says: LC_ALL, else LC_CTYPE, else LANG; null or empty: not set.
bool wants_ascii(const char* lc_all, const char* lc_ctype, const char* lang);

// "... 5 steps" from "… 5 steps", piece by piece: a sign may be cut in two.
class PlainSigns {
 public:
  std::string translate(std::string_view piece);
  // What is left of a sign that never came to its end.
  std::string rest();

 private:
  std::string begun_;
};

// Standard output and error from here on, if the environment says so. Call it first.
void use_plain_signs_if_wanted();

// The descriptor behind stdout or stderr, which may be streams of ours.
int descriptor_of(FILE* stream);

}  // namespace jostle::cli
