// SPDX-License-Identifier: Apache-2.0
#include "src/cli/regression/replay_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/cli/findings/finding_files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/recording/replay_file.h"
#include "src/cli/regression/regressions.h"
#include "src/cli/target/target.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

report::Json folder_json(const FindingFolder& folder, const Regressions& regressions) {
  return {{"format", "jostle-regressions"},
          {"version", 1},
          {"jostle", own_version()},
          {"folder", report::escape(folder.path)},
          {"exit_code", static_cast<int>(regressions.exit())},
          {"interrupted", regressions.interrupted},
          {"seconds", std::chrono::duration<double>(regressions.elapsed).count()},
          {"still_there", regressions.count(Verdict::still_there)},
          {"another_failure", regressions.count(Verdict::another_failure)},
          {"fixed", regressions.count(Verdict::fixed)},
          {"cannot_be_followed", regressions.count(Verdict::not_followed)},
          {"findings", regressions_json(regressions)}};
}

}  // namespace

Result<std::optional<FindingFolder>> find_folder_of_findings(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return std::optional<FindingFolder>();
  Result<std::vector<std::string>> files = find_finding_files(path);
  if (!files) return files.error();
  if (files->empty()) {
    return Error{Exit::replay_unreadable,
                 fmt::format("{} holds no findings: give a folder with the replay.json of some, "
                             "such as jostle-out",
                             path)};
  }
  const std::filesystem::path own = std::filesystem::path(path) / kReplayFileName;
  if (files->size() == 1 && std::filesystem::exists(own, ignored)) {
    return std::optional<FindingFolder>();
  }
  return std::optional(FindingFolder{path, std::move(*files)});
}

bool is_for_all(const std::vector<std::string>& programs, const std::vector<std::string>& files) {
  if (programs.size() != 1) return false;
  return std::ranges::none_of(files, [&](const std::string& file) {
    const Result<Recording> recording = load_replay_file(file);
    return recording &&
           report::base_name(recording->program.given) == report::base_name(programs.front());
  });
}

int replay_folder(const FindingFolder& folder, RegressionOptions options,
                  const Suppressions& suppressions, const DocumentOptions& document) {
  Result<Installation> installation = find_installation();
  if (!installation) return fail(installation.error());
  for (const std::string& program : options.programs) {
    Result<Target> target = examine_target(program);
    if (!target) return fail(target.error());
  }
  options.for_all = is_for_all(options.programs, folder.files);
  SignalWatch signals(true);
  FILE* const text = document.on_stdout() ? stderr : stdout;
  const Regressions regressions =
      try_regressions(folder.files, options, suppressions, *installation, signals, text);
  const auto shown = std::ranges::find_if(
      regressions.list, [](const Regression& each) { return !each.shown_by.empty(); });
  if (shown != regressions.list.end())
    note("to see the first that fails: " + report::escape(shown->shown_by));
  if (document.wanted()) {
    report::RunResult result = begin_result("replay", folder.path, {});
    result.known = known_findings(regressions);
    result.seconds = std::chrono::duration<double>(regressions.elapsed).count();
    result.exit_code = static_cast<int>(regressions.exit());
    const std::string text = document.format == Format::json
                                 ? report::json_text(folder_json(folder, regressions))
                                 : document_text(document.format, result, {});
    if (MaybeError error = write_document(document, text)) return fail(*error);
  }
  return static_cast<int>(regressions.exit());
}

}  // namespace jostle::cli
