// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/campaign_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/cli/findings/fuzz_summary.h"

namespace jostle::cli {
namespace {

using report::Diagnostic;
using report::Diagnostics;

void add_lock_order(const LockOrderWarning& warning, Diagnostic::Level level,
                    Diagnostics& diagnostics) {
  std::string text;
  for (const LockOrderWarning::Step& step : warning.steps) {
    text += fmt::format("{} {}, then {}", text.empty() ? "one thread takes" : "; another takes",
                        step.held, step.wanted);
  }
  const report::CodeLine first =
      warning.steps.empty() ? report::CodeLine{} : warning.steps.front().wanted_line;
  diagnostics.push_back({level, first, "lock order: " + text + ": a run may deadlock there"});
  for (const LockOrderWarning::Step& step : warning.steps) {
    const auto note = [&](const report::CodeLine& at, std::string said) {
      diagnostics.push_back({Diagnostic::Level::note, at.known() ? at : first, std::move(said)});
    };
    note(step.wanted_line,
         fmt::format("{} is taken here while {} is held", step.wanted, step.held));
    note(step.held_line, fmt::format("{} was taken here", step.held));
  }
}

}  // namespace

Diagnostics campaign_warnings(const CampaignResult& result) {
  Diagnostics diagnostics = report::race_diagnostics(result.races, false);
  const auto level =
      fails_on_lock_order(result) ? Diagnostic::Level::error : Diagnostic::Level::warning;
  for (const LockOrderWarning& warning : result.lock_order) {
    add_lock_order(warning, level, diagnostics);
  }
  return diagnostics;
}

void add_warnings(Diagnostics& all, const Diagnostics& more) {
  bool is_new = false;
  for (const Diagnostic& each : more) {
    if (each.level != Diagnostic::Level::note) {
      is_new = std::none_of(all.begin(), all.end(), [&](const Diagnostic& known) {
        return known.at == each.at && known.text == each.text;
      });
    }
    if (is_new) all.push_back(each);
  }
}

}  // namespace jostle::cli
