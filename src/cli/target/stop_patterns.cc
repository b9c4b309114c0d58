// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/stop_patterns.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/report/symbols/function_names.h"
#include "src/report/words/text.h"
#include "src/schedule/stop_range.h"

namespace jostle::cli {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Takes `word:` off the front; `word::` is the beginning of a name.
bool take_keyword(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  const std::string_view behind = text.substr(word.size());
  if (!behind.starts_with(':') || behind.starts_with("::")) return false;
  text = trimmed(behind.substr(1));
  return true;
}

// Takes `entry:`, `inside:` and `weak:` off the front, in any order.
uint32_t take_kinds(std::string_view& text) {
  uint32_t kinds = 0;
  while (true) {
    if (take_keyword(text, "entry")) {
      kinds |= channel::kStopEntry;
    } else if (take_keyword(text, "inside")) {
      kinds |= channel::kStopInside;
    } else if (take_keyword(text, "weak")) {
      kinds |= channel::kStopWeak;
    } else if (!take_keyword(text, "strong")) {
      break;
    }
  }
  constexpr uint32_t kBoth = channel::kStopEntry | channel::kStopInside;
  return (kinds & kBoth) == 0 ? kinds | kBoth : kinds;
}

}  // namespace

Result<StopPattern> parse_stop_pattern(std::string_view text, const std::string& source) {
  std::string_view rest = trimmed(text);
  StopPattern pattern;
  pattern.text = rest;
  pattern.source = source;
  const auto wrong = [&](std::string_view what) {
    return Error{Exit::usage,
                 fmt::format("{}: `{}': {}", source, report::escape(pattern.text), what)};
  };
  if (rest.starts_with('!')) {
    pattern.excludes = true;
    rest = trimmed(rest.substr(1));
  }
  pattern.kinds = take_kinds(rest);
  if (rest.starts_with('!')) return wrong("write the `!' in front of all else");
  if (pattern.excludes && (pattern.kinds & channel::kStopWeak)) {
    return wrong("what is excluded is neither weak nor strong: leave out weak:");
  }
  pattern.glob = report::qualified_name(rest.starts_with("::") ? rest.substr(2) : rest);
  if (pattern.glob.empty()) return wrong("expected the name of a function, like Buffer::*");
  return pattern;
}

Result<std::vector<StopPattern>> parse_stop_file(std::string_view text, const std::string& path) {
  std::vector<StopPattern> patterns;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = trimmed(line);
    if (content.empty() || content.starts_with('#')) continue;
    // Lambdas are called {lambda()#1}: a comment behind a pattern has a blank in front.
    const size_t comment = std::min(content.find(" #"), content.find("\t#"));
    Result<StopPattern> pattern =
        parse_stop_pattern(content.substr(0, comment), fmt::format("{}:{}", path, number));
    if (!pattern) return pattern.error();
    patterns.push_back(std::move(*pattern));
  }
  return patterns;
}

Result<std::vector<StopPattern>> read_stop_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{Exit::usage, fmt::format("--stop-file {}: is a directory", path)};
  }
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    return Error{Exit::usage, fmt::format("--stop-file {}: {}", path, std::strerror(errno))};
  }
  Result<std::vector<StopPattern>> patterns = parse_stop_file(text.str(), path);
  if (patterns && patterns->empty()) {
    return Error{Exit::usage, fmt::format("--stop-file {}: has no patterns (one a line)", path)};
  }
  return patterns;
}

bool matches(const StopPattern& pattern, std::string_view name) {
  const std::string_view glob = pattern.glob;
  // reached[i][j]: the first i characters of the name can be the first j of the pattern.
  std::vector<std::vector<bool>> reached(name.size() + 1, std::vector<bool>(glob.size() + 1));
  reached[0][0] = true;
  for (size_t i = 0; i <= name.size(); ++i) {
    const size_t behind = i < name.size() ? report::behind_optional_part(name, i) : i;
    for (size_t j = 0; j <= glob.size(); ++j) {
      if (!reached[i][j]) continue;
      if (behind > i) reached[behind][j] = true;
      if (j == glob.size()) continue;
      if (glob[j] == '*') {
        reached[i][j + 1] = true;
        if (i < name.size()) reached[i + 1][j] = true;
      }
      if (i == name.size()) continue;
      if (glob[j] == '?' || glob[j] == name[i]) reached[i + 1][j + 1] = true;
    }
  }
  return reached[name.size()][glob.size()];
}

}  // namespace jostle::cli
