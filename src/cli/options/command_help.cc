// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/command_help.h"

#include <fmt/format.h>

#include "src/cli/options/manual_page.h"

namespace jostle::cli {
namespace {

std::string option_lines(const CommandHelp& help) {
  std::string text;
  for (const OptionHelp& option : help.options) {
    for (const std::string& name : option.names) {
      text += fmt::format("{}\t{}\t{}\n", name, option.type, option.description);
    }
  }
  if (help.takes_program) text += "--\t\tthe program begins here\n";
  return text;
}

}  // namespace

std::optional<HelpForm> help_form(std::string_view word) {
  if (word == "--help=man") return HelpForm::manual_page;
  if (word == "--help=options") return HelpForm::options;
  return std::nullopt;
}

std::string text_of(const CommandHelp& help, HelpForm form) {
  return form == HelpForm::options ? option_lines(help) : manual_page(help);
}

std::string plain_text(const CommandHelp& help) {
  std::string text = fmt::format("{}\nusage: {} {}\n", help.description, help.name, help.usage);
  text += "\nOptions:\n";
  for (const OptionHelp& option : help.options) {
    const std::string names = fmt::format("{} {}", fmt::join(option.names, ","), option.type);
    text += fmt::format("  {:<24}{}\n", names, option.description);
  }
  return text + "\nexamples:\n" + help.examples + "\n";
}

}  // namespace jostle::cli
