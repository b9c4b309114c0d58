// SPDX-License-Identifier: Apache-2.0
// The report of a campaign that found one failure, as data.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/e2e/support.h"

namespace jostle::test {

// Of a campaign with `-o out.file("out")`. Empty: there is none.
inline nlohmann::json only_report(const TempDir& out, const std::string& program) {
  for (const auto& entry : std::filesystem::directory_iterator(out.file("out") + "/" + program)) {
    const std::string file = entry.path().string() + "/report.json";
    if (std::filesystem::exists(file)) return nlohmann::json::parse(std::ifstream(file));
  }
  return {};
}

}  // namespace jostle::test
