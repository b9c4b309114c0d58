// SPDX-License-Identifier: Apache-2.0
// `jostle replay FOLDER`: every finding in it, see regressions.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/cli/options/document.h"
#include "src/cli/regression/regression.h"

namespace jostle::cli {

struct FindingFolder {
  std::string path;
  std::vector<std::string> files;
};
// Nothing when `path` is no folder, or the folder of one finding: that is replayed as such. A
// folder without any is an error.
Result<std::optional<FindingFolder>> find_folder_of_findings(const std::string& path);

int replay_folder(const FindingFolder& folder, RegressionOptions options,
                  const Suppressions& suppressions, const DocumentOptions& document);

// A program that was named for a folder of findings is meant for those of the same name; a single
// one that none of them is called is a program that was renamed, and meant for all.
bool is_for_all(const std::vector<std::string>& programs, const std::vector<std::string>& files);

}  // namespace jostle::cli
