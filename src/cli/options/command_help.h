// SPDX-License-Identifier: Apache-2.0
// What a sub-command says of itself, as data: `--help` is made of it by CLI11, manual pages
// (manual_page.h) and completion (`jostle help --options`) by us. So neither can tell something
// else than the help does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

struct OptionHelp {
  std::vector<std::string> names;  // with their dashes: "-t", "--time"
  std::string type;                // of its value; empty: it takes none
  std::string description;
};

struct CommandHelp {
  std::string name;  // "jostle fuzz"
  std::string usage;
  std::string description;
  std::vector<OptionHelp> options;
  std::string examples;
  // Options end where a program begins: the words from there on are its own.
  bool takes_program = false;
};

enum class HelpForm {
  manual_page,  // --help=man
  // --help=options: "name<tab>type<tab>description" for every spelling; with `--` among the names
  // if options end where a program begins.
  options,
};

// The form that this word asks for. These words are for build and shell, not for people.
std::optional<HelpForm> help_form(std::string_view word);

std::string text_of(const CommandHelp& help, HelpForm form);

// As `--help` prints it, for commands whose --help is somebody else's.
std::string plain_text(const CommandHelp& help);

}  // namespace jostle::cli
