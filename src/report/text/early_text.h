// SPDX-License-Identifier: Apache-2.0
// Sleeps and time-outs that ended although other threads could have run: legal, but a reader has to
// know that the schedule made them do so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/run_record.h"

namespace jostle::report {

// "the sleep of 5 ms in main (x.cc:12) ended while other threads could run".
std::vector<std::string> early_sentences(const channel::RunRecord& record, Symbolizer& symbols,
                                         Names& names);
inline constexpr std::string_view kEarlyHint =
    "(on a busy machine it may; --patient leaves such schedules out)";

// The same for the terminal. "" when none did.
std::string early_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                        size_t columns = kColumns);

}  // namespace jostle::report
