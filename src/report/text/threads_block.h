// SPDX-License-Identifier: Apache-2.0
// Who waits for whom: the part of a report that explains a deadlock, a livelock or a run without
// end.
//
//   * T1 worker    waits for mutex log_mu       pool.cc:44   held by T2
//                  holds mutex queue_mu         pool.cc:31
//   * T2 flusher   waits for mutex queue_mu     log.cc:25    held by T1
//                  holds mutex log_mu           log.cc:17
//     main         waits for T1 to finish       pool.cc:80
//   cycle: T1 → T2 → T1
#pragma once

#include <string>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// About `longest` lines, the threads of the cycle first; when there are many threads, those that
// are in the same place share a line. Where there is no room for a table each thread has a
// paragraph. Empty without thread reports.
std::string threads_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                          size_t longest, size_t columns = kColumns);

}  // namespace jostle::report
