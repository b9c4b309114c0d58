// SPDX-License-Identifier: Apache-2.0
// gdb_commands.py, which gives gdb the commands `jostle threads` and `jostle thread N`.
#pragma once

#include <string_view>

namespace jostle::cli {

extern const std::string_view kGdbCommands;

}  // namespace jostle::cli
