// SPDX-License-Identifier: Apache-2.0
// Manual pages in the language of man(7), made from the commands' own help.
#pragma once

#include <string>
#include <string_view>

#include "src/cli/options/command_help.h"

namespace jostle::cli {

// jostle-COMMAND.1
std::string manual_page(const CommandHelp& help);

// jostle.1: the list of all commands.
std::string manual_overview();

// Text as it is, for roff: nothing in it is a request or an escape, dashes can be copied, and
// characters beyond ASCII need no encoding.
std::string roff_text(std::string_view text);

}  // namespace jostle::cli
