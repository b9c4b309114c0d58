// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/campaign_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/cli/recording/replay_file.h"
#include "src/cli/support/values.h"
#include "src/report/formats/diagnostic_json.h"
#include "src/report/formats/sarif.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr uintmax_t kLargestSummary = 256 << 20;

std::string read_text(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kLargestSummary) return {};
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Nothing when it is no JSON object.
std::optional<Json> read_object(const fs::path& path) {
  Json json = Json::parse(read_text(path), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? report::escape(found->get<std::string>()) : "";
}

uint64_t number_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::optional<CampaignSummary> read_campaign(const fs::path& folder) {
  CampaignSummary campaign;
  campaign.folder = folder.string();
  campaign.program = report::escape(folder.filename().string());
  campaign.stats = read_object(folder / "stats.json");
  if (auto executions = read_object(folder / kExecutionsName);
      executions && text_of(*executions, "format") == "jostle-executions" &&
      (*executions)["executions"].is_array()) {
    campaign.executions = std::move(executions);
  }
  campaign.plot = read_plot_data(read_text(folder / kPlotFileName));
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (!entry.is_directory(error) || entry.path().filename().string().starts_with(".")) continue;
    auto finding = read_finding(entry.path().string(), entry.path().filename().string());
    if (finding) campaign.findings.push_back(std::move(*finding));
  }
  if (!campaign.stats && campaign.plot.empty() && campaign.findings.empty()) return std::nullopt;
  std::sort(campaign.findings.begin(), campaign.findings.end(),
            [](const FindingSummary& a, const FindingSummary& b) {
              return a.schedule != b.schedule ? a.schedule < b.schedule : a.folder < b.folder;
            });
  return campaign;
}

std::string command_to_replay(const CampaignSummary& campaign, const FindingSummary& finding) {
  return "jostle replay " +
         shell_quote((fs::path(campaign.folder) / finding.folder / kReplayFileName).string());
}

}  // namespace

std::optional<FindingSummary> read_finding(const std::string& path, const std::string& name) {
  const fs::path folder = path;
  FindingSummary finding;
  finding.folder = name;
  std::error_code error;
  finding.has_page = fs::exists(folder / "report.html", error);
  if (const auto report = read_object(folder / "report.json")) {
    finding.kind = text_of(*report, "kind");
    finding.summary = text_of(*report, "summary");
    finding.explanation = text_of(*report, "explanation");
    finding.schedule = number_of(*report, "schedule");
    if (report->contains("seed")) finding.seed = number_of(*report, "seed");
    finding.found = text_of(*report, "found");
    finding.preemptions = number_of(*report, "preemptions");
    finding.target = text_of(*report, "program");
    if (const auto found = report->find("diagnostics"); found != report->end()) {
      finding.diagnostics = report::read_diagnostics(*found);
    }
    return finding;
  }
  // Found by an older version: the replay file knows the most important.
  const auto replay = read_object(folder / kReplayFileName);
  if (!replay || !replay->contains("failure") || !(*replay)["failure"].is_object()) {
    return std::nullopt;
  }
  finding.kind = text_of((*replay)["failure"], "kind");
  finding.summary = text_of((*replay)["failure"], "message");
  if (finding.summary.empty()) finding.summary = finding.kind;
  finding.schedule = number_of(*replay, "schedule_number");
  return finding;
}

Result<std::vector<CampaignSummary>> read_campaigns(const std::string& folder) {
  // Without the slash at the end that tab completion adds.
  fs::path path = fs::path(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return Error{Exit::replay_unreadable,
                 fmt::format("no folder {}: jostle report jostle-out/PROGRAM", folder)};
  }
  std::vector<CampaignSummary> campaigns;
  if (auto campaign = read_campaign(path)) {
    campaigns.push_back(std::move(*campaign));
    return campaigns;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (!entry.is_directory(error)) continue;
    if (auto campaign = read_campaign(entry.path())) campaigns.push_back(std::move(*campaign));
  }
  if (campaigns.empty()) {
    return Error{Exit::replay_unreadable,
                 fmt::format("{} holds no campaign: jostle fuzz makes one", folder)};
  }
  std::sort(campaigns.begin(), campaigns.end(),
            [](const auto& a, const auto& b) { return a.folder < b.folder; });
  return campaigns;
}

Json campaign_json(const CampaignSummary& campaign) {
  Json json = {{"format", "jostle-campaign"},
               {"version", 1},
               {"folder", report::escape(campaign.folder)},
               {"program", campaign.program}};
  Json& findings = json["findings"] = Json::array();
  for (const FindingSummary& finding : campaign.findings) {
    findings.push_back(
        {{"kind", finding.kind},
         {"summary", finding.summary},
         {"explanation", finding.explanation},
         {"schedule", finding.schedule},
         {"seed", finding.seed ? Json(*finding.seed) : Json()},
         {"found", finding.found.empty() ? Json() : Json(finding.found)},
         {"preemptions", finding.preemptions ? Json(*finding.preemptions) : Json()},
         {"folder", report::escape(finding.folder)},
         {"report",
          finding.has_page ? Json(report::path_uri(finding.folder) + "/report.html") : Json()},
         {"replay", report::escape(command_to_replay(campaign, finding))}});
  }
  if (campaign.executions) json["executions"] = *campaign.executions;
  if (campaign.workers) json["workers"] = *campaign.workers;
  if (campaign.thoroughness) json["thoroughness"] = *campaign.thoroughness;
  json["stats"] = campaign.stats ? *campaign.stats : Json();
  Json& plot = json["plot"] = Json::array();
  for (const PlotRow& row : campaign.plot) {
    Json shares = Json::object();
    for (const auto& [name, percent] : row.shares) shares[report::escape(name)] = percent;
    plot.push_back({{"time", row.time},
                    {"schedules", row.schedules},
                    {"distinct", row.distinct},
                    {"rf_pairs", row.rf_pairs},
                    {"signatures", row.signatures},
                    {"corpus", row.corpus},
                    {"failures", row.failures},
                    {"failing_schedules", row.failing_schedules},
                    {"shares", shares}});
  }
  return json;
}

std::string campaign_diagnostics(const CampaignSummary& campaign) {
  std::string text;
  for (const FindingSummary& finding : campaign.findings) {
    report::Diagnostics diagnostics = finding.diagnostics;
    if (diagnostics.empty()) {  // found by an older version
      diagnostics.push_back({report::Diagnostic::Level::error, {}, finding.summary});
      diagnostics.push_back({report::Diagnostic::Level::note,
                             {},
                             "to see it again: " + command_to_replay(campaign, finding)});
    }
    text +=
        report::gcc_text(diagnostics, finding.target.empty() ? campaign.program : finding.target);
  }
  if (campaign.stats && campaign.stats->contains("warnings")) {
    text +=
        report::gcc_text(report::read_diagnostics((*campaign.stats)["warnings"]), campaign.program);
  }
  return text;
}

// Of a search that several workers share.
static std::string verdict_line(const Json& stats) {
  const auto number = [&](const char* key) { return report::thousands(stats.value(key, 0ull)); };
  return fmt::format("  {:<9} {} executions; units: {} closed, {} open\n",
                     stats.value("verdict", ""), number("executions"), number("units_closed"),
                     number("units_open"));
}

std::string campaign_text(const CampaignSummary& campaign, size_t columns) {
  using report::count;
  using report::thousands;
  std::string text =
      fmt::format("{}: {}", campaign.program,
                  campaign.findings.empty() ? std::string("no failure")
                                            : count(campaign.findings.size(), "failure"));
  if (!campaign.plot.empty()) {
    const PlotRow& end = campaign.plot.back();
    text += fmt::format("; {:.1f} s: {} ({} distinct), {} reads-from pairs", end.time,
                        count(end.schedules, "schedule"), thousands(end.distinct),
                        thousands(end.rf_pairs));
    // A search that workers share counts executions instead.
    const bool is_shared = campaign.stats && campaign.stats->contains("units_open");
    if (!is_shared) text += fmt::format(", {} signatures", thousands(end.signatures));
  }
  text += campaign.stats ? "\n" : "; it has not ended\n";
  if (campaign.stats && campaign.stats->contains("units_open"))
    text += verdict_line(*campaign.stats);
  for (const FindingSummary& finding : campaign.findings) {
    text += fmt::format("  {:<9} {}\n", finding.kind,
                        report::wrap(finding.summary, columns - 12, "            "));
    const fs::path folder = fs::path(campaign.folder) / finding.folder;
    text += fmt::format(
        "            {}\n",
        report::escape((folder / (finding.has_page ? "report.html" : kReplayFileName)).string()));
  }
  if (!campaign.stats || !campaign.stats->contains("warnings")) return text;
  for (const report::Diagnostic& each : report::read_diagnostics((*campaign.stats)["warnings"])) {
    if (each.level == report::Diagnostic::Level::note) continue;
    text += fmt::format("  {:<9} {}\n", report::name(each.level),
                        report::wrap(each.text, columns - 12, "            "));
  }
  return text;
}

}  // namespace jostle::cli
