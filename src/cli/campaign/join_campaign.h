// SPDX-License-Identifier: Apache-2.0
// `jostle fuzz --campaign DIR`: this command becomes a worker of the campaign in that folder.
#pragma once

#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/folder/campaign_worker.h"
#include "src/cli/target/target.h"

namespace jostle::cli {

// Begins the campaign, or joins it, and adapts the options: seed, share of the work.
Result<CampaignWorker> join_campaign(FuzzOptions& options, const Target& target);

}  // namespace jostle::cli
