// SPDX-License-Identifier: Apache-2.0
// Files that are written once and never change: the only kind that a campaign's folder has, but for
// heartbeats. Whoever sees the name sees all of the content, also after a kill -9.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/cli/support/error.h"

namespace jostle::cli {

enum class NewFile {
  written,
  was_there,  // somebody has written a file of this name before, and it stays as it is
};

// Writes <path>.tmp-…, syncs it, and gives it its name unless that is taken. `unique` tells writers
// on different machines apart, whose process ids may be the same.
Result<NewFile> write_new_file(const std::string& path, std::string_view bytes,
                               std::string_view unique);

// The whole file; none: it is not there, is no plain file, cannot be read or has more than `most`
// bytes.
std::optional<std::string> read_whole_file(const std::string& path, size_t most);

// "node17-4711-89abcdef": this process, among those of all machines.
const std::string& own_mark();

}  // namespace jostle::cli
