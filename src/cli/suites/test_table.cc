// SPDX-License-Identifier: Apache-2.0
#include "src/cli/suites/test_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/cli/findings/campaign_warnings.h"
#include "src/cli/findings/proof.h"
#include "src/cli/options/document.h"
#include "src/cli/recording/encoding.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using report::Json;

double seconds_of(const TestOutcome& outcome) {
  return std::chrono::duration<double>(outcome.campaign.elapsed).count();
}

// Why there is neither "passed" nor "failed".
std::string why_not_tested(const TestOutcome& outcome) {
  if (!outcome.problem.empty()) return outcome.problem;
  if (!outcome.campaign.unconfirmed.empty()) {
    const FailureEntry& entry = outcome.campaign.unconfirmed[0];
    return fmt::format("not confirmed: {}: {}", entry.headline, report::escape(entry.why_not));
  }
  if (outcome.exit == Exit::interrupted) return "interrupted";
  return outcome.campaign.totals.schedules == 0 ? "no run came to its end"
                                                : "it cannot be controlled: see jostle doctor";
}

std::string result_text(const TestOutcome& outcome) {
  const std::string_view verdict = verdict_of(outcome);
  const CampaignResult& campaign = outcome.campaign;
  if (verdict == "left_out") return "left out: " + report::escape(outcome.test.left_out);
  if (verdict == "not_run") return "not run";
  if (verdict == "not_tested") return "not tested: " + why_not_tested(outcome);
  if (verdict == "failed") {
    if (campaign.failures.empty()) return "FAILED: lock order";
    const std::string more = campaign.failures.size() == 1
                                 ? ""
                                 : fmt::format(" (and {} more)", campaign.failures.size() - 1);
    return fmt::format("FAILED{}: {}", more, campaign.failures[0].headline);
  }
  const channel::Exploration& explored = campaign.totals.exploration;
  const bool is_verified = proof_of(campaign).kind == Proof::Kind::verified;
  const bool is_all = explored.finished && explored.everything && !explored.is_reduced;
  std::string text = is_verified ? "passed, all executions"
                     : is_all    ? "passed, all schedules"
                                 : "passed";
  if (const size_t races = entry_count(campaign.races); races != 0) {
    text += fmt::format(" ({}: {}/races.txt)", report::count(races, "data race"), outcome.folder);
  }
  return text;
}

Json outcome_json(const TestOutcome& outcome) {
  Json json = {{"name", encode_bytes(outcome.test.name)},
               {"suite", encode_bytes(outcome.test.suite)},
               {"result", verdict_of(outcome)}};
  if (!outcome.test.left_out.empty()) json["why"] = report::escape(outcome.test.left_out);
  if (!outcome.was_run) return json;
  if (verdict_of(outcome) == "not_tested") json["why"] = why_not_tested(outcome);
  json["exit_code"] = static_cast<int>(outcome.exit);
  json["folder"] = outcome.folder;
  json["stats"] = stats_json(outcome.campaign);
  return json;
}

}  // namespace

std::string_view verdict_of(const TestOutcome& outcome) {
  if (!outcome.test.left_out.empty()) return "left_out";
  if (!outcome.was_run) return "not_run";
  if (outcome.exit == Exit::found || !outcome.campaign.failures.empty()) return "failed";
  return outcome.exit == Exit::ok ? "passed" : "not_tested";
}

std::string test_table(const std::vector<TestOutcome>& outcomes, double seconds, size_t columns) {
  constexpr size_t kMargin = 2, kGap = 2, kSchedules = 10;
  size_t names = 4;
  for (const TestOutcome& outcome : outcomes) {
    names = std::max(names, report::width(report::escape(outcome.test.name)));
  }
  names = std::min(names, std::max<size_t>(20, columns / 2));
  const size_t beside = kMargin + names + kGap + kSchedules + kGap;
  const size_t room = columns > beside + 20 ? columns - beside : 20;
  std::string text = fmt::format("{:{}}{:<{}}  {:>{}}  result\n", "", kMargin, "test", names,
                                 "schedules", kSchedules);
  std::map<std::string_view, size_t> counts;
  for (const TestOutcome& outcome : outcomes) {
    ++counts[verdict_of(outcome)];
    const std::string name = report::shorten(report::escape(outcome.test.name), names);
    const std::string schedules =
        outcome.was_run ? report::thousands(outcome.campaign.totals.schedules) : "-";
    text += fmt::format("{:{}}{}  {:>{}}  {}\n", "", kMargin, report::pad(name, names), schedules,
                        kSchedules, report::shorten(result_text(outcome), room));
  }
  std::string sum;
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"failed", "failed"},
                                                                      {"passed", "passed"},
                                                                      {"not_tested", "not tested"},
                                                                      {"not_run", "not run"},
                                                                      {"left_out", "left out"}};
  for (const auto& [verdict, words] : kWords) {
    if (counts[verdict] == 0) continue;
    sum += fmt::format("{}{} {}", sum.empty() ? "" : ", ", counts[verdict], words);
  }
  return text +
         fmt::format("{} in {:.1f} s: {}\n", report::count(outcomes.size(), "test"), seconds, sum);
}

Json tests_json(const TestRun& run) {
  Json arguments = Json::array();
  for (const std::string& argument : run.arguments) arguments.push_back(encode_bytes(argument));
  Json json = {{"format", "jostle-tests"},
               {"version", 1},
               {"program", encode_bytes(run.program)},
               {"args", arguments},
               {"framework", run.suite.framework},
               {"exit_code", static_cast<int>(run.exit)},
               {"elapsed_s", std::chrono::duration<double>(run.elapsed).count()},
               {"tests", Json::array()}};
  for (const TestOutcome& outcome : run.outcomes) json["tests"].push_back(outcome_json(outcome));
  return json;
}

std::string tests_text(const TestRun& run) {
  return tests_json(run).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

report::RunResult run_result_of(const TestRun& run) {
  report::RunResult result = begin_result("fuzz", run.program, run.arguments);
  result.schedules = 0;
  result.seconds = std::chrono::duration<double>(run.elapsed).count();
  result.exit_code = static_cast<int>(run.exit);
  for (TestOutcome& outcome : run.outcomes) {
    report::TestResult test{report::escape(outcome.test.suite),
                            report::escape(outcome.test.class_name),
                            report::escape(outcome.test.label)};
    test.schedules = outcome.campaign.totals.schedules;
    test.seconds = seconds_of(outcome);
    result.schedules += test.schedules;
    for (report::TraceModel& model : outcome.failures) {
      test.failures.push_back(result.failures.size());
      result.failures.push_back(std::move(model));
    }
    add_warnings(result.warnings, campaign_warnings(outcome.campaign));
    for (const FailureEntry& entry : outcome.campaign.unconfirmed) {
      test.unconfirmed.push_back({entry.kind, entry.headline, report::escape(entry.why_not)});
    }
    const std::string_view verdict = verdict_of(outcome);
    if (verdict == "not_tested" && test.unconfirmed.empty()) test.problem = why_not_tested(outcome);
    if (verdict == "failed" && test.failures.empty()) test.problem = "lock order";
    if (verdict == "left_out") test.skipped = report::escape(outcome.test.left_out);
    if (verdict == "not_run") test.skipped = "not run";
    result.unconfirmed.insert(result.unconfirmed.end(), test.unconfirmed.begin(),
                              test.unconfirmed.end());
    result.tests.push_back(std::move(test));
  }
  return result;
}

}  // namespace jostle::cli
