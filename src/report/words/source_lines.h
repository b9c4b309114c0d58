// SPDX-License-Identifier: Apache-2.0
// The text of source lines, for reports. Missing files and lines give empty text: the source may be
// on another machine.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace jostle::report {

class SourceLines {
 public:
  // Line `line` (from 1) of the file, without the white space around it, escaped.
  std::string text(const std::string& file, int line);

  // The whole file, as it is.
  const std::vector<std::string>& lines_of(const std::string& file);

 private:
  std::unordered_map<std::string, std::vector<std::string>> files_;
};

}  // namespace jostle::report
