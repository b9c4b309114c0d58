// SPDX-License-Identifier: Apache-2.0
// `jostle help`: the overview, the help of a command, and the same for build and shell:
//   jostle help --man [COMMAND]     a manual page
//   jostle help --commands          "name<tab>summary" for each
//   jostle help --options COMMAND   "name<tab>type<tab>description" for each
#include <fmt/format.h>

#include "src/cli/commands/commands.h"
#include "src/cli/compiler/compiler_help.h"
#include "src/cli/options/command_help.h"
#include "src/cli/options/command_table.h"
#include "src/cli/options/manual_page.h"
#include "src/cli/support/error.h"
#include "src/cli/support/values.h"

namespace jostle::cli {
namespace {

using Words = std::vector<std::string>;

void print_overview() {
  fmt::print("jostle {}.\n\nusage: jostle COMMAND [options] …\n\n", kPurpose);
  for (const Command& command : all_commands()) {
    fmt::print("  {:<12}{}\n", command.name, command.summary);
  }
  fmt::print(
      "\n  --version, --help; jostle help COMMAND, or jostle COMMAND --help, for each\n"
      "\nfirst minute:\n{}",
      kFirstMinute);
}

std::optional<Language> language_of(const std::string& command) {
  if (command == "cc") return Language::c;
  if (command == "c++") return Language::cxx;
  return std::nullopt;
}

// `form`: nothing for people.
int help_of(const std::string& name, std::optional<HelpForm> form) {
  const Command* command = find_command(name);
  if (command == nullptr) return unknown_command(name);
  // The --help of a compiler is the compiler's.
  if (const auto language = language_of(name)) {
    const CommandHelp help = compiler_help(*language);
    fmt::print("{}", form ? text_of(help, *form) : plain_text(help));
    return 0;
  }
  if (!form) return command->run({"--help"});
  return command->run({*form == HelpForm::manual_page ? "--help=man" : "--help=options"});
}

}  // namespace

int unknown_command(const std::string& word) {
  Words names = {"--help", "--version"};
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  const std::string guess = nearest(word, names);
  const std::string advice =
      guess.empty() ? "see jostle --help" : fmt::format("did you mean {}?", guess);
  const char* what = word.starts_with('-') ? "option" : "command";
  return fail({Exit::usage, fmt::format("unknown {} {}: {}", what, word, advice)});
}

int help_command(const Words& words) {
  if (words.empty() || words[0] == "help" || words[0] == "--help" || words[0] == "-h") {
    print_overview();
    return 0;
  }
  if (words[0] == "--commands") {
    for (const Command& command : all_commands()) {
      fmt::print("{}\t{}\n", command.name, command.summary);
    }
    return 0;
  }
  if (words[0] == "--man" && words.size() == 1) {
    fmt::print("{}", manual_overview());
    return 0;
  }
  if (words[0] == "--man") return help_of(words[1], HelpForm::manual_page);
  if (words[0] == "--options" && words.size() > 1) return help_of(words[1], HelpForm::options);
  return help_of(words[0], std::nullopt);
}

}  // namespace jostle::cli
