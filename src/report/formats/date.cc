// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/date.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace jostle::report {

int64_t now() {
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH")) {
    int64_t seconds = 0;
    const char* end = given + std::strlen(given);
    const auto [rest, error] = std::from_chars(given, end, seconds);
    if (error == std::errc() && rest == end && rest != given) return seconds;
  }
  return std::time(nullptr);
}

std::string date_text(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts = {};
  char text[64];
  if (gmtime_r(&time, &parts) == nullptr) return {};
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace jostle::report
