// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/command_table.h"

#include "src/cli/commands/commands.h"
#include "src/cli/commands/cover_command.h"
#include "src/cli/compiler/compiler_wrapper.h"

namespace jostle::cli {
namespace {

constexpr Command kCommands[] = {
    {"cc", "compile C like gcc or clang, with instrumentation (CC=\"jostle cc\")",
     [](const std::vector<std::string>& words) { return run_compiler(Language::c, words); }},
    {"c++", "compile C++ like g++ or clang++, with instrumentation (CXX=\"jostle c++\")",
     [](const std::vector<std::string>& words) { return run_compiler(Language::cxx, words); }},
    {"fuzz", "run a program under many schedules, keep those that fail", fuzz_command},
    {"verify", "run every execution of a program once, and say whether one fails", verify_command},
    {"replay", "run a recorded failure again, exactly", replay_command},
    {"minimize", "make a recorded failure smaller", minimize_command},
    {"run", "run a program once under a chosen schedule", run_command},
    {"step", "run a program once and choose yourself which thread runs", step_command},
    {"doctor", "check what of a program can be controlled", doctor_command},
    {"stops", "list functions in which threads meet, for fuzz --stop-at", stops_command},
    {"orders", "list memory orders that may be weaker, with edits of the source", orders_command},
    {"cover", "list which functions, accesses and locks schedules bring together", cover_command},
    {"report", "make a page of a campaign: failures, coverage over time", report_command},
    {"status", "say how the workers of a campaign in a folder are", status_command},
    {"stop", "end the workers of a campaign in a folder", stop_command},
    {"merge", "prune the corpus of earlier campaigns", merge_command},
    {"config", "show which options hold: those of jostle.toml, and the defaults", config_command},
    {"strategies", "list the ways to search, and their parameters", strategies_command},
};

}  // namespace

std::span<const Command> all_commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

}  // namespace jostle::cli
