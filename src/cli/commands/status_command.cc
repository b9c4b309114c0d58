// SPDX-License-Identifier: Apache-2.0
// `jostle status` and `jostle stop`: a campaign that is a folder, from outside.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "src/cli/commands/commands.h"
#include "src/cli/findings/folder_report.h"
#include "src/cli/options/command_line.h"
#include "src/cli/support/terminal.h"
#include "src/cli/target/signals.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr char kStatusExamples[] =
    "  jostle status /nfs/c1                 workers, speed, failures\n"
    "  jostle status --watch /nfs/c1         again and again, until no worker is left or Ctrl-C\n"
    "  jostle status --json /nfs/c1 | jq .failures\n"
    "exit codes: 0 no failure so far, 77 there are some, 11 no campaign there; all: "
    "docs/exit-codes.md";

constexpr char kStopExamples[] =
    "  jostle stop /nfs/c1            all workers end within seconds, wherever they are\n"
    "  jostle stop --undo /nfs/c1     others may join again";

constexpr std::chrono::milliseconds kWatchEvery{2000};
constexpr std::chrono::milliseconds kGlance{50};

// The campaign in the only folder that was given.
Result<CampaignFolder> only_folder(const CommandLine& line, const char* command) {
  if (line.operands().size() != 1 || !line.rest().empty()) {
    return Error{Exit::usage, fmt::format("which campaign? jostle {} DIR", command)};
  }
  return CampaignFolder::open(line.operands()[0]);
}

// A few times a second somebody may press Ctrl-C. False: that happened.
bool wait_for_next(const SignalWatch& signals) {
  for (auto waited = kGlance * 0; waited < kWatchEvery; waited += kGlance) {
    if (signals.interrupts() != 0) return false;
    std::this_thread::sleep_for(kGlance);
  }
  return true;
}

void print_status(const CampaignFolder& folder, const CampaignView& view, bool json, bool again) {
  if (json) {
    fmt::print("{}", report::json_text(status_json(folder, view)));
  } else {
    const std::string text = status_text(folder, view, terminal_columns(STDOUT_FILENO));
    const bool live = again && is_live_terminal(STDOUT_FILENO);
    fmt::print("{}{}", live ? "\x1b[H\x1b[J" : "", text);
  }
  std::fflush(stdout);
}

}  // namespace

int status_command(const std::vector<std::string>& words) {
  bool json = false, watch = false;
  CommandLine line("jostle status", "[options] DIR",
                   "Says how a campaign of `jostle fuzz --campaign DIR` is: its workers, what they "
                   "found, which of them are dead.",
                   kStatusExamples);
  line.allow_options_everywhere();
  line.flag("--json", "the same for machines, all workers included", json);
  line.flag("-w,--watch", "every two seconds, until no worker is left", watch);
  if (const auto done = line.parse(words)) return *done;
  Result<CampaignFolder> folder = only_folder(line, "status");
  if (!folder) return fail(folder.error());
  const Result<std::string> build = folder->last_build(!json);
  if (!build) return fail(build.error());
  CampaignView view(*folder, *build);
  const SignalWatch signals;
  while (true) {
    view.refresh();
    print_status(*folder, view, json, watch);
    if (!watch || view.count(WorkerView::Life::running) == 0 || !wait_for_next(signals)) break;
  }
  return static_cast<int>(view.failures().empty() ? Exit::ok : Exit::found);
}

int stop_command(const std::vector<std::string>& words) {
  bool undo = false;
  CommandLine line("jostle stop", "[options] DIR",
                   "Ends all workers of a campaign of `jostle fuzz --campaign DIR`.",
                   kStopExamples);
  line.allow_options_everywhere();
  line.flag("--undo", "let workers join again", undo);
  if (const auto done = line.parse(words)) return *done;
  Result<CampaignFolder> folder = only_folder(line, "stop");
  if (!folder) return fail(folder.error());
  if (undo) {
    const Result<bool> undone = folder->undo_stop();
    if (!undone) return fail(undone.error());
    fmt::print("{}\n", *undone ? "workers may join again" : "it was not stopped");
    return 0;
  }
  if (MaybeError error = folder->stop()) return fail(*error);
  fmt::print(
      "workers end when they look next: within seconds, or a minute where file systems "
      "cache\n");
  return 0;
}

}  // namespace jostle::cli
