// SPDX-License-Identifier: Apache-2.0
// `jostle report`: a campaign's folder as a page.
#include <fmt/format.h>
#include <unistd.h>

#include "src/cli/commands/commands.h"
#include "src/cli/findings/campaign_summary.h"
#include "src/cli/findings/folder_report.h"
#include "src/cli/options/command_line.h"
#include "src/cli/options/document.h"
#include "src/cli/recording/files.h"
#include "src/cli/support/terminal.h"
#include "src/report/formats/html_report.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kReportExamples[] =
    "  jostle report jostle-out/bank              writes jostle-out/bank/index.html\n"
    "  jostle report                              all campaigns in jostle-out\n"
    "  jostle report --format json jostle-out/bank\n"
    "  jostle report --format gcc                 a line per failure, for editors\n"
    "  jostle report /nfs/c1                      all workers of a campaign in a folder\n"
    "The page needs nothing but a browser; it links to the reports of the failures.";

Result<std::vector<CampaignSummary>> read_shared_campaign(const std::string& path, Format format) {
  Result<CampaignFolder> folder = CampaignFolder::open(path);
  if (!folder) return folder.error();
  const Result<std::string> build = folder->last_build(format == Format::text);
  if (!build) return build.error();
  CampaignView view(*folder, *build);
  view.refresh();
  return std::vector<CampaignSummary>{summary_of(*folder, view)};
}

MaybeError write_page(const CampaignSummary& campaign) {
  Result<AtomicFile> file = AtomicFile::open(campaign.folder + "/index.html");
  if (!file) return file.error();
  return file->commit(
      report::html_campaign("jostle: " + campaign.program, campaign_json(campaign)));
}

}  // namespace

int report_command(const std::vector<std::string>& words) {
  Format format = Format::text;
  CommandLine line("jostle report", "[options] [FOLDER]",
                   "Makes a page of a campaign: failures, coverage over time, statistics.",
                   kReportExamples);
  line.allow_options_everywhere();
  line.value("--format", "FORMAT", "text (default), json, or gcc; to stdout",
             [&](const std::string& text) -> std::optional<std::string> {
               for (const Format known : {Format::text, Format::json, Format::gcc}) {
                 if (text != format_name(known)) continue;
                 format = known;
                 return std::nullopt;
               }
               return "expected text, json or gcc";
             });
  if (const auto done = line.parse(words)) return *done;
  if (line.operands().size() > 1 || !line.rest().empty()) {
    return fail({Exit::usage, "one folder at a time: jostle report jostle-out/PROGRAM"});
  }
  const std::string folder = line.operands().empty() ? "jostle-out" : line.operands()[0];
  Result<std::vector<CampaignSummary>> campaigns = CampaignFolder::is_one(folder)
                                                       ? read_shared_campaign(folder, format)
                                                       : read_campaigns(folder);
  if (!campaigns) return fail(campaigns.error());
  report::Json all = report::Json::array();
  for (const CampaignSummary& campaign : *campaigns) {
    if (MaybeError error = write_page(campaign)) return fail(*error);
    if (format == Format::json) all.push_back(campaign_json(campaign));
    if (format == Format::gcc) fmt::print("{}", campaign_diagnostics(campaign));
    if (format != Format::text) continue;
    fmt::print("{}  page      {}\n", campaign_text(campaign, terminal_columns(STDOUT_FILENO)),
               report::escape(campaign.folder + "/index.html"));
  }
  if (format == Format::json) fmt::print("{}", report::json_text(all.size() == 1 ? all[0] : all));
  return static_cast<int>(Exit::ok);
}

}  // namespace jostle::cli
