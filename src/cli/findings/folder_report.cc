// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/folder_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <span>

#include "src/cli/findings/proof.h"
#include "src/cli/findings/stats.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/recording/encoding.h"
#include "src/cli/support/values.h"
#include "src/report/formats/diagnostic_json.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using report::Json;
using std::chrono::seconds;

constexpr size_t kMostRows = 400;
constexpr size_t kMostWorkersShown = 20;
constexpr size_t kLargestStats = 64 << 20;

const char* life_text(WorkerView::Life life) {
  switch (life) {
    case WorkerView::Life::running:
      return "running";
    case WorkerView::Life::ended:
      return "ended";
    case WorkerView::Life::dead:
      return "dead";
  }
  return "?";
}

// "12 s", "4 min", "3 h": how long ago.
std::string ago(seconds time) {
  const int64_t count = time.count();
  if (count < 120) return fmt::format("{} s", count);
  if (count < 120 * 60) return fmt::format("{} min", count / 60);
  return fmt::format("{} h", count / 3600);
}

Json worker_json(const WorkerView& worker) {
  return {{"name", worker.info.name},
          {"host", report::escape(worker.info.host)},
          {"process", worker.info.process},
          {"seed", worker.info.seed},
          {"jobs", worker.info.jobs},
          {"life", life_text(worker.life)},
          {"state", report::escape(worker.state)},
          {"silent_s", worker.silent.count()},
          {"since_news_s", worker.since_news.count()},
          {"elapsed_s", static_cast<double>(worker.progress.elapsed_ms) / 1000},
          {"schedules", worker.progress.schedules},
          {"schedules_per_s", static_cast<uint64_t>(worker.rate())},
          {"exchanging_s", static_cast<double>(worker.progress.exchanging_ms) / 1000},
          {"failures", worker.failures},
          {"note", report::escape(worker.note)}};
}

Json workers_json(const CampaignView& view) {
  Json list = Json::array();
  for (const WorkerView& worker : view.workers()) list.push_back(worker_json(worker));
  return list;
}

// What the stats.json of workers have that segments have not, each once.
struct WorkerStatistics {
  Json outcomes = Json::object();
  std::set<std::string> uncontrolled = {};
  std::set<std::string> lock_orders = {};
  report::Diagnostics warnings = {};
  std::set<std::string> warnings_known = {};
  size_t read = 0;
};

// Which threads it was, and which of them came first, differs from worker to worker; what it is
// about and where does not.
std::string essence(std::span<const report::Diagnostic> warning) {
  std::set<std::string> places;
  for (const report::Diagnostic& each : warning) {
    places.insert(fmt::format("{}:{}", each.at.file, each.at.line));
  }
  return fmt::format("{} {}", warning[0].text.substr(0, warning[0].text.find(':')),
                     fmt::join(places, " "));
}

// Warnings and the notes on them, unless another worker gave them.
void add_new_warnings(WorkerStatistics& all, const report::Diagnostics& more) {
  constexpr auto kNote = report::Diagnostic::Level::note;
  for (size_t begin = 0, end = 0; begin < more.size(); begin = end) {
    for (end = begin + 1; end < more.size() && more[end].level == kNote;) ++end;
    const auto warning = std::span(more).subspan(begin, end - begin);
    if (!all.warnings_known.insert(essence(warning)).second) continue;
    all.warnings.insert(all.warnings.end(), warning.begin(), warning.end());
  }
}

WorkerStatistics read_statistics(const CampaignFolder& folder, const CampaignView& view) {
  WorkerStatistics all;
  for (const WorkerView& worker : view.workers()) {
    const auto text = read_whole_file(
        folder.build(view.build()) + "/" + worker.info.name + "/stats.json", kLargestStats);
    const Json json = text ? Json::parse(*text, nullptr, false) : Json();
    if (!json.is_object()) continue;
    ++all.read;
    const Json outcomes = json.value("outcomes", Json::object());
    for (const auto& [kind, runs] : outcomes.items()) {
      if (!runs.is_number_unsigned()) continue;
      const uint64_t before = all.outcomes.value(kind, uint64_t{0});
      all.outcomes[kind] = before + runs.get<uint64_t>();
    }
    add_new_warnings(all, report::read_diagnostics(json.value("warnings", Json::array())));
    for (const Json& line : json.value("uncontrolled", Json::array())) {
      if (line.is_string()) all.uncontrolled.insert(report::escape(line.get<std::string>()));
    }
    for (const Json& order : json.value("lock_order_warnings", Json::array())) {
      Json names = Json::array();  // without the schedule that showed it
      for (const Json& step : order) {
        if (!step.is_object()) continue;
        names.push_back({step.value("held", ""), step.value("held_at", ""),
                         step.value("wanted", ""), step.value("wanted_at", "")});
      }
      all.lock_orders.insert(names.dump());
    }
  }
  return all;
}

double seconds_of(const CampaignView& view) {
  const std::vector<GrowthRow> rows = view.growth(1);
  return rows.empty() ? 0 : static_cast<double>(rows.back().time_ms) / 1000;
}

std::string setting(const CampaignFolder& folder, const char* name) {
  for (const auto& [key, value] : folder.description().settings) {
    if (key == name) return report::escape(value);
  }
  return {};
}

Json statistics_json(const CampaignFolder& folder, const CampaignView& view) {
  const WorkerProgress total = view.total();
  const WorkerStatistics statistics = read_statistics(folder, view);
  const double wall = seconds_of(view);
  const Thoroughness thoroughness = view.thoroughness();
  const auto rate = wall > 0 ? static_cast<double>(total.schedules) / wall : 0;
  return {{"build", view.build()},
          {"strategy", setting(folder, "--strategy")},
          {"seed", folder.description().seed},
          {"elapsed_s", wall},
          {"worker_seconds", static_cast<double>(total.elapsed_ms) / 1000},
          {"workers", view.workers().size()},
          {"workers_running", view.count(WorkerView::Life::running)},
          {"workers_dead", view.count(WorkerView::Life::dead)},
          {"schedules", total.schedules},
          {"schedules_per_s", static_cast<uint64_t>(rate)},
          {"failing_schedules", total.failing_schedules},
          {"unique_traces", total.distinct},
          {"unique_rf_signatures", thoroughness.classes},
          {"rf_pairs", view.pairs()},
          {"corpus", view.corpus()},
          {"inputs", view.inputs()},
          {"races_seen", view.races()},
          {"lock_order_warnings", statistics.lock_orders.size()},
          {"segments", view.segments()},
          {"segments_left_out", view.segments_left_out()},
          {"segments_missing", view.segments_missing()},
          {"outcomes", statistics.outcomes},
          {"uncontrolled", statistics.uncontrolled},
          {"warnings", report::diagnostics_json(statistics.warnings)}};
}

// Of `jostle verify --campaign`: the search that the workers share, as the result of one that is
// alone; none: they do not.
std::optional<CampaignResult> shared_search(const CampaignFolder& folder,
                                            const CampaignView& view) {
  const std::string build = folder.build(view.build());
  if (!SearchView::is_there(build)) return std::nullopt;
  static std::map<std::string, SearchView> searches;  // memory of searches is never given back
  SearchView& search = searches.try_emplace(build, build).first->second;
  search.refresh();
  CampaignResult result;
  result.verifies = true;
  result.shared = summary_of(search, [&](const std::string& name) {
    return std::ranges::any_of(view.workers(), [&](const WorkerView& worker) {
      return worker.info.name == name && worker.life == WorkerView::Life::running;
    });
  });
  result.totals.exploration = result.shared->explored;
  result.failed_elsewhere = !view.failures().empty();
  result.elapsed = view.searching();  // who comes when it is done adds nothing
  return result;
}

void add_search(const CampaignFolder& folder, const CampaignView& view, Json& json) {
  const auto result = shared_search(folder, view);
  if (!result) return;
  add_proof(*result, json);
}

std::string count_of_workers(const CampaignView& view) {
  std::string text;
  for (const auto life :
       {WorkerView::Life::running, WorkerView::Life::ended, WorkerView::Life::dead}) {
    const size_t count = view.count(life);
    if (count == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", report::thousands(count), life_text(life));
  }
  return text.empty() ? "none" : text;
}

// A line of the list of workers. What follows the last column is of any length.
using WorkerRow = std::array<std::string, 6>;
enum { kNameColumn, kHostColumn, kStateColumn, kScheduleColumn, kRateColumn, kOtherColumns };

WorkerRow worker_row(const WorkerView& worker) {
  WorkerRow row = {worker.info.name,
                   report::shorten(report::escape(worker.info.host), 16),
                   worker.life == WorkerView::Life::dead ? "dead" : report::escape(worker.state),
                   report::thousands(worker.progress.schedules),
                   report::rough(worker.rate()) + "/s",
                   ""};
  if (worker.life == WorkerView::Life::dead) {
    row[kOtherColumns] = fmt::format("silent for {}", ago(worker.silent));
  } else if (worker.life == WorkerView::Life::running) {
    row[kOtherColumns] = fmt::format("last news {} ago", ago(worker.since_news));
  }
  if (!worker.note.empty())
    row[kOtherColumns] += (row[kOtherColumns].empty() ? "" : "; ") + report::escape(worker.note);
  return row;
}

// Where the terminal is narrow hosts are left out: numbers are not cut.
std::string worker_lines(const std::vector<WorkerRow>& rows, size_t columns) {
  std::array<size_t, kOtherColumns> widths = {10, 0, 0, 0, 0};
  size_t longest_rest = 0;
  for (const WorkerRow& row : rows) {
    for (size_t i = 0; i < kOtherColumns; ++i)
      widths[i] = std::max(widths[i], report::width(row[i]));
    longest_rest = std::max(longest_rest, std::min<size_t>(report::width(row[kOtherColumns]), 20));
  }
  size_t all = longest_rest + 2;
  for (const size_t width : widths) all += width + 2;
  const bool with_host = all <= columns;
  std::string text;
  for (const WorkerRow& row : rows) {
    std::string line = fmt::format("{:<{}} ", row[kNameColumn], widths[kNameColumn]);
    if (with_host) line += fmt::format("{:<{}}  ", row[kHostColumn], widths[kHostColumn]);
    line += fmt::format("{:<{}}  {:>{}}  {:>{}}  {}", row[kStateColumn], widths[kStateColumn],
                        row[kScheduleColumn], widths[kScheduleColumn], row[kRateColumn],
                        widths[kRateColumn], row[kOtherColumns]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += "  " + report::wrap_words(line, columns - std::min<size_t>(columns, 2), "    ") + "\n";
  }
  return text;
}

}  // namespace

CampaignSummary summary_of(const CampaignFolder& folder, const CampaignView& view) {
  CampaignSummary summary;
  summary.folder = folder.path();
  summary.program = report::escape(folder.description().program);
  summary.stats = statistics_json(folder, view);
  add_search(folder, view, *summary.stats);
  summary.workers = workers_json(view);
  for (const GrowthRow& row : view.growth(kMostRows)) {
    PlotRow& to = summary.plot.emplace_back();
    to.time = static_cast<double>(row.time_ms) / 1000;
    to.schedules = row.schedules;
    to.distinct = row.distinct;
    to.rf_pairs = row.pairs;
    to.signatures = row.classes;
    to.corpus = row.corpus;
    to.failures = row.failures;
    to.failing_schedules = row.failing_schedules;
    for (const auto& [name, percent] : row.shares) {
      to.shares.emplace_back(name, static_cast<int>(std::min(percent, 100u)));
    }
  }
  if (!summary.plot.empty()) {  // what heartbeats know is later than the last segments
    const WorkerProgress total = view.total();
    PlotRow& last = summary.plot.back();
    last.schedules = std::max(last.schedules, total.schedules);
    last.distinct = std::max(last.distinct, total.distinct);
    last.failing_schedules = std::max(last.failing_schedules, total.failing_schedules);
  }
  for (const FailureView& failure : view.failures()) {
    const std::string name = view.build() + "/findings/" + failure.folder;
    if (auto finding = read_finding(folder.path() + "/" + name, name)) {
      summary.findings.push_back(std::move(*finding));
    }
  }
  std::sort(summary.findings.begin(), summary.findings.end(),
            [](const FindingSummary& a, const FindingSummary& b) {
              return a.found != b.found ? a.found < b.found : a.folder < b.folder;
            });
  if (summary.findings.empty()) summary.thoroughness = thoroughness_json(view.thoroughness());
  return summary;
}

Json status_json(const CampaignFolder& folder, const CampaignView& view) {
  Json failures = Json::array();
  for (const FailureView& failure : view.failures()) {
    const std::string path = folder.findings(view.build()) + "/" + failure.folder;
    failures.push_back({{"identity", fmt::format("{:016x}", failure.identity)},
                        {"folder", encode_bytes(path)},
                        {"workers", failure.workers}});
  }
  Json json = {{"format", "jostle-campaign-status"},
               {"version", 1},
               {"folder", encode_bytes(folder.path())},
               {"program", encode_bytes(folder.description().program)},
               {"stopped", folder.is_stopped()}};
  json.update(statistics_json(folder, view));
  json["schedules_per_s"] = static_cast<uint64_t>(view.rate());  // now
  json["last_news_s"] = view.since_last_news() ? Json(view.since_last_news()->count()) : Json();
  json["failures"] = failures;
  json["thoroughness"] = view.failures().empty() ? thoroughness_json(view.thoroughness()) : Json();
  add_search(folder, view, json);
  if (json.contains("verdict")) json["thoroughness"] = Json();  // nothing is drawn
  json["worker_list"] = workers_json(view);
  return json;
}

std::string status_text(const CampaignFolder& folder, const CampaignView& view, size_t columns) {
  const WorkerProgress total = view.total();
  const auto line = [&](const std::string& text) {
    return report::wrap_words(text, columns, "  ") + "\n";
  };
  std::string text = line(fmt::format("{}: {}{}", report::escape(folder.path()),
                                      report::escape(folder.description().program),
                                      folder.is_stopped() ? ", stopped" : ""));
  text += line(fmt::format("workers: {}", count_of_workers(view)));
  const Thoroughness thoroughness = view.thoroughness();
  const auto search = shared_search(folder, view);
  const std::string drawn =
      search ? ""  // nothing is drawn: data flows are not counted
             : fmt::format(", {}{}, corpus {}", thoroughness.is_estimate ? "about " : "",
                           report::count(thoroughness.classes, "data flow"),
                           report::thousands(view.corpus()));
  text += line(fmt::format("{} in {:.0f} s, now {}/s; {} reads-from pairs{}",
                           report::count(total.schedules, "schedule"), seconds_of(view),
                           report::rough(view.rate()), report::thousands(view.pairs()), drawn));
  if (view.since_last_news()) {
    text += line(fmt::format("last news: {} ago", ago(*view.since_last_news())));
  }
  if (search) {
    for (const std::string& each : proof_lines(*search, proof_of(*search))) text += line(each);
    text += line(fmt::format("units: {} closed, {} open, {} of them leased",
                             report::thousands(search->shared->units_closed),
                             report::thousands(search->shared->units_open),
                             report::thousands(search->shared->units_leased)));
    for (const std::string& file : search->shared->damaged) {
      text += line(fmt::format("damaged, and left out: {}", report::escape(file)));
    }
  }
  const std::vector<FailureView> failures = view.failures();
  if (failures.empty()) {
    text += search ? "" : line("no failure");
    const std::string says = search ? "" : describe(thoroughness);
    if (!says.empty()) text += line(says);
  } else {
    text += line(report::count(failures.size(), "failure"));
  }
  for (const FailureView& failure : failures) {
    const std::string path = folder.findings(view.build()) + "/" + failure.folder;
    const auto finding = read_finding(path, failure.folder);
    text += fmt::format(
        "  {} (seen by {})\n    {}\n", finding ? finding->summary : "being written, or damaged:",
        report::count(std::max<size_t>(1, failure.workers.size()), "worker"), report::escape(path));
  }
  if (const uint64_t races = view.races(); races != 0) {
    text += line(
        fmt::format("data races at {} in the code: jostle report {} says where",
                    races == 1 ? "1 pair of places" : report::thousands(races) + " pairs of places",
                    shell_quote(folder.path())));
  }
  if (const uint64_t missing = view.segments_missing(); missing != 0) {
    text += line(
        fmt::format("{} missing, though there are later ones: lost, or not copied yet",
                    missing == 1 ? "1 segment is" : report::thousands(missing) + " segments are"));
  }
  if (view.segments_left_out() != 0) {
    text += line(
        fmt::format("{} could not be read", report::count(view.segments_left_out(), "segment")));
  }
  // Those that matter: the dead, those in trouble, those that run.
  std::vector<const WorkerView*> order;
  for (const WorkerView& worker : view.workers()) order.push_back(&worker);
  const auto rank = [](const WorkerView* worker) {
    if (!worker->note.empty()) return 0;
    return worker->life == WorkerView::Life::running ? 1
           : worker->life == WorkerView::Life::dead  ? 2
                                                     : 3;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  const size_t shown = std::min(order.size(), kMostWorkersShown);
  std::vector<WorkerRow> rows;
  for (size_t i = 0; i < shown; ++i) rows.push_back(worker_row(*order[i]));
  text += worker_lines(rows, columns);
  if (shown < order.size()) {
    text +=
        fmt::format("  … and {} more: --json lists all\n", report::thousands(order.size() - shown));
  }
  return text;
}

}  // namespace jostle::cli
