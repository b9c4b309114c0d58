// SPDX-License-Identifier: Apache-2.0
// All sub-commands: what `jostle --help` lists, what has a manual page, what shells complete.
// Defined where the commands are (commands/command_table.cc).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& words);
};

// In the order of the overview.
std::span<const Command> all_commands();

// Null: there is none.
const Command* find_command(std::string_view name);

inline constexpr std::string_view kPurpose =
    "finds concurrency bugs in C and C++ programs: it decides which thread runs when";

inline constexpr std::string_view kFirstMinute =
    "  jostle c++ -g bank.cc -o bank\n"
    "  jostle fuzz ./bank\n"
    "  jostle replay jostle-out/bank/…/replay.json\n";

}  // namespace jostle::cli
