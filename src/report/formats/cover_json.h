// SPDX-License-Identifier: Apache-2.0
// What `jostle cover --json` prints.
#pragma once

#include <cstdint>
#include <string>

#include "src/report/symbols/symbolizer.h"
#include "src/schedule/cover_table.h"

namespace jostle::report {

struct CoveredCampaign {
  uint64_t schedules, failing_schedules;
  uint64_t seed, depth;
};

std::string cover_json(const CoverTable& table, Symbolizer& symbols,
                       const CoveredCampaign& campaign);

}  // namespace jostle::report
