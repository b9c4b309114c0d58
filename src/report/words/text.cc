// SPDX-License-Identifier: Apache-2.0
#include "src/report/words/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace jostle::report {
namespace {

// The length of the well-formed UTF-8 sequence at the start of text, 0 if there is none.
size_t sequence_length(std::string_view text, uint32_t& code_point) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    code_point = first;
    return 1;
  }
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  code_point = first & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code_point = code_point << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  return code_point < kSmallest[length] || code_point > 0x10FFFF || surrogate ? 0 : length;
}

// Moves the cursor, rings, or reverses the direction of what follows.
bool is_hostile(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) || c == 0xFEFF;
}

size_t bytes_of_columns(std::string_view text, size_t columns) {
  size_t i = 0;
  while (i < text.size() && columns > 0) {
    uint32_t ignored;
    const size_t length = sequence_length(text.substr(i), ignored);
    i += length == 0 ? 1 : length;
    --columns;
  }
  return i;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    uint32_t code_point = 0;
    size_t length = sequence_length(text, code_point);
    if (length != 0 && !is_hostile(code_point)) {
      result.append(text.substr(0, length));
    } else {
      if (length == 0) length = 1;
      for (size_t i = 0; i < length; ++i) {
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
      }
    }
    text.remove_prefix(length);
  }
  return result;
}

size_t width(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    text.remove_prefix(bytes_of_columns(text, 1));
    ++columns;
  }
  return columns;
}

std::string_view first_columns(std::string_view text, size_t columns) {
  return text.substr(0, bytes_of_columns(text, columns));
}

std::string shorten(std::string_view text, size_t columns) {
  const size_t total = width(text);
  if (total <= columns) return std::string(text);
  if (columns == 0) return {};
  const size_t head = (columns - 1) / 2;
  const size_t tail = columns - 1 - head;
  const size_t tail_start = bytes_of_columns(text, total - tail);
  return std::string(text.substr(0, bytes_of_columns(text, head))) + "…" +
         std::string(text.substr(tail_start));
}

std::string wrap(std::string_view text, size_t columns, std::string_view indent) {
  std::string result;
  std::string line;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!line.empty() && width(line) + 1 + width(word) > columns) {
      result += line + "\n";
      line = std::string(indent) + std::string(word);
    } else {
      if (!line.empty()) line += ' ';
      line += word;
    }
  }
  return result + line;
}

// How much of a word that is too wide comes first: up to where a C++ name or a path may be broken.
static size_t breaking_point(std::string_view word, size_t columns) {
  const size_t most = bytes_of_columns(word, columns);
  const size_t sign = word.substr(0, most).find_last_of("/,(<>:_-=");
  return sign == std::string_view::npos || sign < most / 2 ? most : sign + 1;
}

std::string wrap_words(std::string_view text, size_t columns, std::string_view indent) {
  const size_t room = columns > width(indent) + 8 ? columns - width(indent) : 8;
  std::string pieces;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    while (width(word) > room) {
      const size_t first = breaking_point(word, room);
      pieces += std::string(word.substr(0, first)) + " ";
      word.remove_prefix(first);
    }
    pieces += std::string(word) + (text.empty() ? "" : " ");
  }
  return wrap(pieces, columns, indent);
}

std::string paragraph(std::string_view title, std::string_view text, size_t columns) {
  const std::string indent(width(title), ' ');
  const size_t room = columns - indent.size();
  std::string result(title);
  if (columns >= kColumns) return result + wrap_words(text, room, indent) + "\n";
  for (const char c : wrap_words(text, room, "")) {
    result += c;
    if (c == '\n') result += indent;
  }
  return result + "\n";
}

std::string fit(std::string_view lines, size_t columns) {
  constexpr std::string_view kFurther = "    ";
  std::string result;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (width(line) <= columns) {
      result += line;
    } else {
      const size_t spaces = std::min(line.find_first_not_of(' '), line.size());
      const std::string begin(std::min(spaces, columns / 4), ' ');
      result += begin;
      for (const char c : wrap_words(line.substr(spaces), columns - begin.size(), kFurther)) {
        result += c;
        if (c == '\n') result += begin;
      }
    }
    result += '\n';
  }
  return result;
}

size_t line_count(std::string_view text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

std::string pad(std::string_view text, size_t columns) {
  const size_t have = width(text);
  return std::string(text) + std::string(have < columns ? columns - have : 0, ' ');
}

std::string thousands(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string count(uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", thousands(number), noun, number == 1 ? "" : "s");
}

std::string rough(double number) {
  constexpr std::string_view kUnits[] = {"", "k", "M", "G", "T"};
  size_t unit = 0;
  while (number >= 999.5 && unit + 1 < std::size(kUnits)) {
    number /= 1000;
    ++unit;
  }
  return number < 9.95 && number > 0 ? fmt::format("{:.1f}{}", number, kUnits[unit])
                                     : fmt::format("{:.0f}{}", number, kUnits[unit]);
}

std::string about(uint64_t number) {
  constexpr uint64_t kExact = 10'000, kMost = 1'000'000'000'000'000;
  if (number > kMost) return "more than 1,000T";
  return "about " + (number < kExact ? thousands(number) : rough(static_cast<double>(number)));
}

std::string clock(std::chrono::nanoseconds elapsed) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string duration(std::chrono::nanoseconds length) {
  using namespace std::chrono_literals;
  if (length % 1h == 0ns && length > 0ns) return fmt::format("{} h", length / 1h);
  if (length % 1min == 0ns && length > 0ns) return fmt::format("{} m", length / 1min);
  if (length % 1s == 0ns) return fmt::format("{} s", length / 1s);
  if (length >= 1s) return fmt::format("{:.1f} s", static_cast<double>(length / 1ns) / 1e9);
  return fmt::format("{} ms", length / 1ms);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace jostle::report
