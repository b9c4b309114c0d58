// SPDX-License-Identifier: Apache-2.0
#include "src/report/words/source_lines.h"

#include <filesystem>
#include <fstream>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr uintmax_t kLargestFile = 16 << 20;  // generated sources are not worth more memory

}  // namespace

const std::vector<std::string>& SourceLines::lines_of(const std::string& file) {
  auto [entry, added] = files_.try_emplace(file);
  std::error_code error;
  if (added && std::filesystem::is_regular_file(file, error) &&
      std::filesystem::file_size(file, error) <= kLargestFile) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) entry->second.push_back(line);
  }
  return entry->second;
}

std::string SourceLines::text(const std::string& file, int line) {
  const std::vector<std::string>& lines = lines_of(file);
  if (line < 1 || static_cast<size_t>(line) > lines.size()) return {};
  const std::string& text = lines[static_cast<size_t>(line) - 1];
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return escape(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

}  // namespace jostle::report
