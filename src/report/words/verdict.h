// SPDX-License-Identifier: Apache-2.0
// The first word of a headline.
#pragma once

#include <string_view>

#include "src/schedule/run_end.h"

namespace jostle::report {

// "FAILED", "DEADLOCK", "STARVATION"
std::string_view verdict(const channel::Failure& end);

}  // namespace jostle::report
