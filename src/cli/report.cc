// SPDX-License-Identifier: Apache-2.0
// `jostle report`: a campaign's folder as a page.
#include <fmt/format.h>

#include "src/cli/campaign_summary.h"
#include "src/cli/command_line.h"
#include "src/cli/commands.h"
#include "src/cli/files.h"
#include "src/report/html_report.h"
#include "src/report/text.h"

namespace jostle::cli {
namespace {

constexpr char kReportExamples[] =
    "  jostle report jostle-out/bank              writes jostle-out/bank/index.html\n"
    "  jostle report                              all campaigns in jostle-out\n"
    "  jostle report --format json jostle-out/bank\n"
    "The page needs nothing but a browser; it links to the reports of the failures.";

MaybeError write_page(const CampaignSummary& campaign) {
  Result<AtomicFile> file = AtomicFile::open(campaign.folder + "/index.html");
  if (!file) return file.error();
  return file->commit(
      report::html_campaign("jostle: " + campaign.program, campaign_json(campaign)));
}

}  // namespace

int report_command(const std::vector<std::string>& words) {
  bool json = false;
  CommandLine line("jostle report", "[options] [FOLDER]",
                   "Makes a page of a campaign: failures, coverage over time, statistics.",
                   kReportExamples);
  line.allow_options_everywhere();
  line.value("--format", "FORMAT", "text (default), or json; to stdout",
             [&](const std::string& text) -> std::optional<std::string> {
               json = text == "json";
               if (json || text == "text") return std::nullopt;
               return "expected text or json";
             });
  if (const auto done = line.parse(words)) return *done;
  if (line.operands().size() > 1 || !line.rest().empty()) {
    return fail({Exit::usage, "one folder at a time: jostle report jostle-out/PROGRAM"});
  }
  Result<std::vector<CampaignSummary>> campaigns =
      read_campaigns(line.operands().empty() ? "jostle-out" : line.operands()[0]);
  if (!campaigns) return fail(campaigns.error());
  report::Json all = report::Json::array();
  for (const CampaignSummary& campaign : *campaigns) {
    if (MaybeError error = write_page(campaign)) return fail(*error);
    if (json) {
      all.push_back(campaign_json(campaign));
      continue;
    }
    fmt::print("{}  page      {}\n", campaign_text(campaign),
               report::escape(campaign.folder + "/index.html"));
  }
  if (json) fmt::print("{}", report::json_text(all.size() == 1 ? all[0] : all));
  return static_cast<int>(Exit::ok);
}

}  // namespace jostle::cli
