// SPDX-License-Identifier: Apache-2.0
// `jostle cover`, as the commands of commands.h.
#pragma once

#include <string>
#include <vector>

namespace jostle::cli {

int cover_command(const std::vector<std::string>& words);

}  // namespace jostle::cli
