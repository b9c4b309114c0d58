// SPDX-License-Identifier: Apache-2.0
// One campaign, from its options to its exit code: what `jostle fuzz` does for a program, and for
// each test of one.
#pragma once

#include <string>
#include <vector>

#include "src/cli/campaign/fuzz_options.h"
#include "src/cli/findings/stats.h"
#include "src/report/model/trace_model.h"

namespace jostle::cli {

// What came of a campaign for a test.
struct TestReport {
  CampaignResult campaign = {};
  std::vector<report::TraceModel> failures = {};  // if a document is wanted
  std::string problem = {};                       // why it could not be tested; it has been said
};

// `folder_name`: below options.output; empty: as the program is called. With `report` neither
// summary nor document is written: they are for all tests together.
int fuzz_program(FuzzOptions options, const std::string& folder_name = {},
                 TestReport* report = nullptr);

}  // namespace jostle::cli
