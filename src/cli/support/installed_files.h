// SPDX-License-Identifier: Apache-2.0
// Where the library and the headers are that belong to a command.
#pragma once

#include <filesystem>
#include <optional>

namespace jostle::cli {

// Debian's folder of libraries for this processor.
#if defined(__aarch64__)
inline constexpr const char* kTriplet = "aarch64-linux-gnu";
#elif defined(__x86_64__)
inline constexpr const char* kTriplet = "x86_64-linux-gnu";
#else
#error "unknown architecture"
#endif

// The folder of libjostle.so for the command at this path: ../lib, ../lib64 or ../lib/<triplet>.
std::optional<std::filesystem::path> find_library_dir(const std::filesystem::path& command);

// The folder that holds <jostle/…> and nothing else, beside the library: a link in the build tree
// and in an installed one. None when only a part is installed.
std::optional<std::filesystem::path> find_include_dir(const std::filesystem::path& library_dir);

}  // namespace jostle::cli
