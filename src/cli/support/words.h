// SPDX-License-Identifier: Apache-2.0
// Command lines as gcc reads them: quoting and @response files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::cli {

// Words of a response file, or of JOSTLE_CC, by gcc's quoting rules: a backslash takes the next
// character as it is, everywhere; single and double quotes group.
std::vector<std::string> split_words(std::string_view text);

// Reads a response file; nullopt when it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// The arguments with every @file replaced by the words in it, nested ones too. As in gcc, an @file
// that cannot be read stays as it is.
std::vector<std::string> expand_response_files(const std::vector<std::string>& args,
                                               const ReadFile& read);

}  // namespace jostle::cli
