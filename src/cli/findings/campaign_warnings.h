// SPDX-License-Identifier: Apache-2.0
// What a campaign saw beside its failures, for editors: data races, and locks that are taken in
// different orders.
#pragma once

#include "src/cli/findings/stats.h"
#include "src/report/formats/diagnostic.h"

namespace jostle::cli {

// Orders of locks are errors if they count as failures.
report::Diagnostics campaign_warnings(const CampaignResult& result);

// Adds those that are not there yet, with their notes: tests of one program see the same.
void add_warnings(report::Diagnostics& all, const report::Diagnostics& more);

}  // namespace jostle::cli
