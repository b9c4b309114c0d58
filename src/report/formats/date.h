// SPDX-License-Identifier: Apache-2.0
// When a failure was found, for reports.
#pragma once

#include <cstdint>
#include <string>

namespace jostle::report {

// Seconds since 1970. SOURCE_DATE_EPOCH stands in for the clock, so that those who want files that
// are equal byte for byte can have them.
int64_t now();

// "2026-11-16T17:41:05Z"
std::string date_text(int64_t seconds);

}  // namespace jostle::report
