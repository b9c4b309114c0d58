// SPDX-License-Identifier: Apache-2.0
// A campaign that is a folder, for people and machines: what `jostle status` prints and `jostle
// report` draws.
#pragma once

#include <string>

#include "src/cli/findings/campaign_summary.h"
#include "src/cli/folder/campaign_view.h"

namespace jostle::cli {

// All of it, as the page of any campaign has it. Statistics of single workers (data races, orders
// of locks) are those of workers that came to their end.
CampaignSummary summary_of(const CampaignFolder& folder, const CampaignView& view);

// `jostle status --json`.
report::Json status_json(const CampaignFolder& folder, const CampaignView& view);
// `jostle status`.
std::string status_text(const CampaignFolder& folder, const CampaignView& view, size_t columns);

}  // namespace jostle::cli
