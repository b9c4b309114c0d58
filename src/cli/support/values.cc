// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace jostle::cli {
namespace {

// How many insertions, deletions, replacements and swaps of neighbours turn one into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    before.swap(previous);
    previous.swap(current);
  }
  return previous[b.size()];
}

std::optional<double> unit_in_seconds(std::string_view unit) {
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  if (unit == "s" || unit == "sec" || unit.empty()) return 1;
  if (unit == "m" || unit == "min") return 60;
  if (unit == "h") return 3600;
  if (unit == "d") return 86400;
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  std::string_view unit(stopped, static_cast<size_t>(end - stopped));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto seconds = unit_in_seconds(unit);
  constexpr double kLongest = 100.0 * 365 * 86400;  // well inside 63 bits of nanoseconds
  if (!seconds || value * *seconds > kLongest) return std::nullopt;
  return std::chrono::nanoseconds(std::llround(value * *seconds * 1e9));
}

std::optional<uint64_t> parse_number(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if ((c == ',' || c == '_') && !digits.empty()) continue;
    digits += c;
  }
  int base = 10;
  std::string_view rest = digits;
  if (rest.starts_with("0x") || rest.starts_with("0X")) {
    base = 16;
    rest.remove_prefix(2);
  }
  uint64_t value = 0;
  const char* end = rest.data() + rest.size();
  const auto [stopped, error] = std::from_chars(rest.data(), end, value, base);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

std::optional<std::vector<int>> parse_exit_codes(std::string_view text) {
  std::vector<int> codes;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    const size_t dash = item.find('-');
    const auto first = parse_number(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_number(item.substr(dash + 1));
    if (!first || !last || *last > 255 || *first > *last) return std::nullopt;
    for (uint64_t code = *first; code <= *last; ++code) codes.push_back(static_cast<int>(code));
    if (comma == text.npos) return codes;
    text.remove_prefix(comma + 1);
  }
}

std::string nearest(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = typed.size() >= 3 && candidate.starts_with(typed);
    const size_t distance = begins ? 1 : edit_distance(typed, candidate);
    // A word of which nothing is left is no near miss.
    if (distance < best_distance && distance < typed.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string shell_quote(std::string_view word) {
  constexpr std::string_view kPlain = "_-+=:,./@%^";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || kPlain.find(c) != kPlain.npos;
  });
  if (plain) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace jostle::cli
