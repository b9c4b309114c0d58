// SPDX-License-Identifier: Apache-2.0
// A file that the user names: whatever can be read, a pipe too.
#pragma once

#include <optional>
#include <string>

namespace jostle::cli {

// Nothing: it cannot be read, or is a folder; errno says why.
std::optional<std::string> read_given_file(const std::string& path);

}  // namespace jostle::cli
