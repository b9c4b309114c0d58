// SPDX-License-Identifier: Apache-2.0
// The replay files of findings in a folder, at any depth: a campaign's output, or a folder of
// recordings that are kept with the sources.
#pragma once

#include <string>
#include <vector>

#include "src/cli/support/error.h"

namespace jostle::cli {

// In the order of their names. A finding is a `replay.json`, whatever is in it, and every other
// .json file that is a replay file. Not so what is kept beside a finding (replay-original.json,
// replay-passing.json), failures that were never confirmed (unconfirmed/), drafts and other hidden
// files.
Result<std::vector<std::string>> find_finding_files(const std::string& folder);

}  // namespace jostle::cli
