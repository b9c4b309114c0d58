// SPDX-License-Identifier: Apache-2.0
// Operations side by side, as a table, and the nearest right order.
#pragma once

#include <string>

#include "src/report/model/results/history_model.h"

namespace jostle::report {

// "" when there is none.
std::string history_block(const HistoryModel& history, size_t columns);

}  // namespace jostle::report
