// SPDX-License-Identifier: Apache-2.0
// The signal handler that a thread was in when the run ended.
#pragma once

#include <string>

#include "src/report/symbols/symbolizer.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// "on_usr1": the innermost; empty when the thread is in none, or it is not known which.
std::string running_handler(const channel::RunRecord& record, const channel::ThreadReport& thread,
                            Symbolizer& symbols);

}  // namespace jostle::report
