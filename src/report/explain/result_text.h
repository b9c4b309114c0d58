// SPDX-License-Identifier: Apache-2.0
// In words: how a run came out whose functions do not look atomic.
#pragma once

#include <string>

#include "src/report/model/results/result_model.h"

namespace jostle::report {

// Empty: the run does not fail like that.
std::string result_block(const ResultModel& result, size_t columns);

}  // namespace jostle::report
