// SPDX-License-Identifier: Apache-2.0
#include "src/cli/regression/regressions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "src/cli/findings/finding_files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/support/plain_signs.h"
#include "src/cli/support/terminal.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using report::Json;

constexpr Verdict kVerdicts[] = {Verdict::still_there, Verdict::another_failure, Verdict::fixed,
                                 Verdict::not_followed};

std::string_view verdict_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::still_there:
      return "still there";
    case Verdict::another_failure:
      return "another failure";
    case Verdict::fixed:
      return "fixed";
    case Verdict::not_followed:
      return "cannot be followed";
  }
  return "?";
}

std::string_view name(FoundBy by) {
  switch (by) {
    case FoundBy::recording:
      return "recording";
    case FoundBy::names:
      return "names";
    case FoundBy::search:
      return "search";
  }
  return "?";
}

std::string how_found(const Regression& regression) {
  switch (regression.found_by) {
    case FoundBy::recording:
      return "as recorded";
    case FoundBy::names:
      return fmt::format("by names, {}", report::count(regression.schedules, "schedule"));
    case FoundBy::search:
      return fmt::format("searched around it, {}", report::count(regression.schedules, "schedule"));
  }
  return "?";
}

std::string passing(const Regression& regression) {
  const std::string tried = report::count(regression.schedules, "schedule");
  if (regression.all_schedules) return fmt::format("all there are pass: {}", tried);
  return fmt::format("{} around it {}", tried, regression.schedules == 1 ? "passes" : "pass");
}

// The folder says it all where the file is a replay.json.
std::string shown_name(const std::string& file) {
  const std::filesystem::path path(file);
  const bool plain = path.filename() == kReplayFileName && path.has_parent_path();
  return report::escape((plain ? path.parent_path() : path).string());
}

std::string what_became_of(const Regression& regression) {
  switch (regression.verdict) {
    case Verdict::still_there:
      return fmt::format("{} ({})", regression.seen, how_found(regression));
    case Verdict::another_failure:
      return fmt::format("{} ({}); recorded was {}", regression.seen, how_found(regression),
                         regression.failure);
    case Verdict::fixed:
      return fmt::format("{} ({})", regression.failure, passing(regression));
    case Verdict::not_followed:
      return report::escape(regression.reason);
  }
  return "";
}

// Which one is under way, on a terminal.
class CurrentOne {
 public:
  explicit CurrentOne(FILE* text) : live_(is_live_terminal(STDERR_FILENO)), text_(text) {}
  ~CurrentOne() { clear(); }

  void show(size_t number, size_t all, const std::string& file) {
    if (!live_) return;
    std::fflush(text_);
    fmt::print(stderr, "\r\x1b[K {} of {}: {}", number, all,
               report::shorten(shown_name(file), terminal_columns(STDERR_FILENO) - 20));
  }
  void clear() const {
    if (live_) fmt::print(stderr, "\r\x1b[K");
  }

 private:
  bool live_;
  FILE* text_;
};

void print_line(FILE* to, const std::string& line) {
  const auto columns = known_columns(descriptor_of(to));
  fmt::print(to, "{}\n", columns ? report::wrap_words(line, *columns, "  ") : line);
  std::fflush(to);
}

Json regression_json(const Regression& regression) {
  Json json = {{"replay", report::escape(regression.file)},
               {"program", report::escape(regression.program)},
               {"kind", regression.kind},
               {"failure", regression.failure},
               {"identity", report::signature_text(regression.identity)},
               {"verdict", name(regression.verdict)}};
  const bool fails = regression.fails();
  json["found_by"] = fails ? Json(name(regression.found_by)) : Json();
  json["seen"] = fails ? Json(regression.seen) : Json();
  json["seen_identity"] = fails ? Json(report::signature_text(regression.seen_identity)) : Json();
  json["reason"] = regression.reason.empty() ? Json() : Json(report::escape(regression.reason));
  json["shown_by"] =
      regression.shown_by.empty() ? Json() : Json(report::escape(regression.shown_by));
  json["schedules"] = regression.schedules;
  json["all_schedules"] = regression.all_schedules;
  json["seconds"] = std::chrono::duration<double>(regression.elapsed).count();
  return json;
}

}  // namespace

Result<std::vector<std::string>> findings_of(const std::string& folder, std::string_view program) {
  Result<std::vector<std::string>> files = find_finding_files(folder);
  if (!files) return files.error();
  std::vector<std::string> own;
  for (const std::string& file : *files) {
    const Result<Recording> recording = load_replay_file(file);
    // One that cannot be read may be this program's.
    if (!recording || report::base_name(recording->program.given) == program) own.push_back(file);
  }
  if (own.empty()) note(fmt::format("--regress: no findings of {} in {}", program, folder));
  return own;
}

std::vector<report::KnownFinding> known_findings(const Regressions& regressions) {
  using Today = report::KnownFinding::Today;
  std::vector<report::KnownFinding> list;
  for (const Regression& each : regressions.list) {
    if (!each.is_finding || each.interrupted) continue;
    list.push_back(
        {.name = shown_name(each.file),
         .kind = each.kind,
         .today = each.fails()                     ? Today::fails
                  : each.verdict == Verdict::fixed ? Today::fixed
                                                   : Today::not_followed,
         .text = fmt::format("{}: {}", verdict_words(each.verdict), what_became_of(each)),
         .at = each.at,
         .identity = each.seen_identity,
         .replay = report::escape(each.shown_by),
         .seconds = std::chrono::duration<double>(each.elapsed).count()});
  }
  return list;
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::still_there:
      return "still_there";
    case Verdict::another_failure:
      return "another_failure";
    case Verdict::fixed:
      return "fixed";
    case Verdict::not_followed:
      return "cannot_be_followed";
  }
  return "?";
}

size_t Regressions::count(Verdict verdict) const {
  return static_cast<size_t>(
      std::ranges::count(list, verdict, [](const Regression& each) { return each.verdict; }));
}

Exit Regressions::exit() const {
  if (std::ranges::any_of(list, &Regression::fails)) return Exit::found;
  if (interrupted) return Exit::interrupted;
  return count(Verdict::not_followed) != 0 ? Exit::diverged : Exit::ok;
}

std::string regression_line(const Regression& regression) {
  return fmt::format("{:<18}  {}  {}", verdict_words(regression.verdict),
                     shown_name(regression.file), what_became_of(regression));
}

std::string regressions_summary(const Regressions& regressions) {
  std::string sums;
  for (const Verdict verdict : kVerdicts) {
    if (const size_t count = regressions.count(verdict)) {
      sums += fmt::format("{}{} {}", sums.empty() ? ": " : ", ", count, verdict_words(verdict));
    }
  }
  return fmt::format("{} in {:.1f} s{}{}", report::count(regressions.list.size(), "finding"),
                     std::chrono::duration<double>(regressions.elapsed).count(), sums,
                     regressions.interrupted ? "; interrupted" : "");
}

Regressions try_regressions(const std::vector<std::string>& files, const RegressionOptions& options,
                            const Suppressions& suppressions, const Installation& installation,
                            SignalWatch& signals, FILE* text) {
  const auto started = std::chrono::steady_clock::now();
  Regressions result;
  CurrentOne line(text);
  for (size_t i = 0; i < files.size() && !result.interrupted; ++i) {
    line.show(i + 1, files.size(), files[i]);
    Regression regression = try_regression(files[i], options, suppressions, installation, signals);
    line.clear();
    result.interrupted = regression.interrupted || signals.interrupts() > 0;
    if (regression.interrupted) break;
    if (!regression.is_finding) {
      note(fmt::format("{}: its run did not fail: left out", report::escape(files[i])));
      continue;
    }
    if (regression.fails() || !options.only_failures) {
      print_line(text, regression_line(regression));
    }
    result.list.push_back(std::move(regression));
  }
  result.elapsed = std::chrono::steady_clock::now() - started;
  if (!options.only_failures) print_line(text, regressions_summary(result));
  return result;
}

Json regressions_json(const Regressions& regressions) {
  Json json = Json::array();
  for (const Regression& regression : regressions.list) {
    json.push_back(regression_json(regression));
  }
  return json;
}

}  // namespace jostle::cli
