// SPDX-License-Identifier: Apache-2.0
// The last lines that `jostle fuzz` prints: what was done, and what came of it.
#pragma once

#include <cstdio>
#include <string>

#include "src/cli/findings/stats.h"

namespace jostle::cli {

// What the statistics do not have.
struct SummaryNotes {
  std::string note = {};     // of the campaign, if something was odd
  std::string classes = {};  // how many runs of a property were of which kind
  std::string races = {};    // those that are no failures
};

// All inputs were rejected: green would mean nothing.
bool all_rejected(const CampaignResult& result);
// Locks are taken in different orders, and the user calls that a failure.
bool fails_on_lock_order(const CampaignResult& result);
// Not a single run came to its end.
bool nothing_tested(const CampaignResult& result);
// "inputs: 40.1 % empty, 2.0 % large": what jostle::classify counted.
std::string describe_classes(const channel::Channel& channel);
// To `to`; warnings go to stderr, also when it is quiet.
void print_summary(FILE* to, const CampaignResult& result, const SummaryNotes& notes, bool quiet);

}  // namespace jostle::cli
