// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/manual_page.h"

#include <fmt/format.h>

#include <cstdint>

#include "src/cli/options/command_table.h"
#include "src/cli/recording/recording.h"

namespace jostle::cli {
namespace {

struct CodePoint {
  uint32_t value;
  size_t bytes;
};

// The character that UTF-8 text begins with; of what is no UTF-8, one byte.
CodePoint first_character(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const uint32_t lead = byte(0);
  const size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 1 || text.size() < length) return {lead, 1};
  uint32_t value = lead & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3fu);
  return {value, length};
}

std::string header(std::string_view page) {
  // Names of options and commands are not hyphenated, nor are gaps stretched.
  return fmt::format(".TH {} 1 \"\" \"jostle {}\" \"Jostle\"\n.nh\n.ad l\n", roff_text(page),
                     roff_text(own_version()));
}

std::string name_section(std::string_view page, std::string_view summary) {
  return fmt::format(".SH NAME\n{} \\- {}\n", roff_text(page), roff_text(summary));
}

// Lines that stay as they are.
std::string as_it_is(std::string_view text) {
  std::string lines = ".EX\n";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines += roff_text(text.substr(0, end)) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines + ".EE\n";
}

std::string option_entry(const OptionHelp& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff_text(name));
  }
  if (!option.type.empty()) names += fmt::format(" \\fI{}\\fR", roff_text(option.type));
  return fmt::format(".TP\n{}\n{}\n", names, roff_text(option.description));
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  // At the start of a line these would make it a request.
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  while (!text.empty()) {
    const auto [value, bytes] = first_character(text);
    text.remove_prefix(bytes);
    switch (value) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\[aq]";
        break;
      case '`':
        out += "\\[ga]";
        break;
      case '^':
        out += "\\[ha]";
        break;
      case '~':
        out += "\\[ti]";
        break;
      case '"':
        out += "\\[dq]";
        break;
      default:
        if (value < 0x80) {
          out += static_cast<char>(value);
        } else {
          out += fmt::format("\\[u{:04X}]", value);
        }
    }
  }
  return out;
}

std::string manual_page(const CommandHelp& help) {
  const std::string command = help.name.substr(help.name.find(' ') + 1);
  const std::string page = "jostle-" + command;
  const Command* known = find_command(command);
  std::string text = header(page) + name_section(page, known ? known->summary : help.description);
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR {}\n", roff_text(help.name), roff_text(help.usage));
  text += fmt::format(".SH DESCRIPTION\n{}\n", roff_text(help.description));
  if (!help.options.empty()) text += ".SH OPTIONS\n";
  for (const OptionHelp& option : help.options) text += option_entry(option);
  if (!help.examples.empty()) text += ".SH EXAMPLES\n" + as_it_is(help.examples);
  return text + ".SH SEE ALSO\n\\fBjostle\\fR(1)\n";
}

std::string manual_overview() {
  std::string text = header("jostle") + name_section("jostle", kPurpose);
  text += ".SH SYNOPSIS\n\\fBjostle\\fR \\fICOMMAND\\fR [options]\n.SH COMMANDS\n";
  std::string pages;
  for (const Command& command : all_commands()) {
    text += fmt::format(".TP\n\\fBjostle {}\\fR\n{}\n", roff_text(command.name),
                        roff_text(command.summary));
    pages += fmt::format("{}\\fBjostle\\-{}\\fR(1)", pages.empty() ? "" : ",\n",
                         roff_text(command.name));
  }
  text += ".SH EXAMPLES\n" + as_it_is(kFirstMinute);
  text +=
      ".SH EXIT STATUS\n0: no failure. 77: a failure was found, or showed again. 2: usage. All "
      "others: exit\\-codes.md in the documents.\n";
  text +=
      ".SH FILES\n.TP\n\\fIjostle.toml\\fR\nOptions that need not be typed: "
      "\\fBjostle\\-config\\fR(1), configuration.md in the documents.\n";
  text += ".TP\n\\fI/usr/share/doc/jostle\\fR\nThe documents (of the Debian package).\n";
  return text + ".SH SEE ALSO\n" + pages + "\n";
}

}  // namespace jostle::cli
