// SPDX-License-Identifier: Apache-2.0
// What `jostle merge` leaves in a campaign's folder: one segment that sums all others up, so that a
// worker who joins late reads one file and not those of everybody before. The segments stay.
#pragma once

#include <optional>
#include <string>

#include "src/cli/folder/segment.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

// The last one that can be read.
std::optional<Segment> newest_distilled(const std::string& folder);

// Under the next number; the path.
Result<std::string> write_distilled(const std::string& folder, Segment segment);

}  // namespace jostle::cli
