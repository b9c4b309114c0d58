// SPDX-License-Identifier: Apache-2.0
// What is left of a campaign on disk: stats.json, plot_data and the folders of its findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/campaign/plot_data.h"
#include "src/cli/support/error.h"
#include "src/report/formats/diagnostic.h"
#include "src/report/formats/failure_json.h"

namespace jostle::cli {

// In the folder of a campaign: the tree of executions.
inline constexpr char kExecutionsName[] = "executions.json";

struct FindingSummary {
  std::string folder;  // its name below the campaign's
  std::string kind, summary, explanation;
  uint64_t schedule = 0;
  std::optional<uint64_t> seed = {};  // of the campaign that found it: there may have been several
  std::string found = {};             // when; empty: not known
  std::optional<uint64_t> preemptions = {};
  bool has_page = false;  // report.html is there
  // For editors; notes without a line of their own are said of the program.
  report::Diagnostics diagnostics = {};
  std::string target = {};  // the program as it was given
};

struct CampaignSummary {
  std::string folder;                      // as given
  std::string program;                     // its name
  std::optional<report::Json> stats = {};  // none: the campaign has not ended
  std::vector<PlotRow> plot = {};
  std::optional<report::Json> executions = {};  // of `verify --graph`: execution_graph.h
  std::vector<FindingSummary> findings = {};    // in the order in which they were found
  // Of a campaign that is a folder: its workers, and what may have been missed; see
  // folder_report.h.
  std::optional<report::Json> workers = {}, thoroughness = {};
};

// A finding's folder; none: it is no such folder. `name`: below the campaign's.
std::optional<FindingSummary> read_finding(const std::string& folder, const std::string& name);

// The campaigns in a folder: itself, or those of the programs below it.
Result<std::vector<CampaignSummary>> read_campaigns(const std::string& folder);

// For `--format json` and for the page.
report::Json campaign_json(const CampaignSummary& campaign);
// As compilers print it; see report/formats/diagnostic.h.
std::string campaign_diagnostics(const CampaignSummary& campaign);
std::string campaign_text(const CampaignSummary& campaign, size_t columns);

}  // namespace jostle::cli
