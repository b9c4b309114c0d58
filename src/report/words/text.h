// SPDX-License-Identifier: Apache-2.0
// Small pieces of text that every message and report is made of.
//
// What comes out of the target (thread names, messages, file names) is hostile until escaped: it
// may hold control characters that move the cursor, or be no UTF-8 at all. Whatever is printed goes
// through `escape` once, on its way from the channel into a report.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace jostle::report {

// The width of reports in files and pipes; a terminal has its own (cli/support/terminal.h).
inline constexpr size_t kColumns = 100;

// Control characters, broken UTF-8 and direction overrides become \xNN; all else stays as it is.
std::string escape(std::string_view text);

// Columns on a terminal, taking every code point for one.
size_t width(std::string_view text);

// The first `columns` of it.
std::string_view first_columns(std::string_view text, size_t columns);

// At most `columns` wide: the middle is replaced by "…", because paths and C++ names differ at
// their ends.
std::string shorten(std::string_view text, size_t columns);

// Broken at spaces into lines of at most `columns`; all but the first begin with `indent`.
std::string wrap(std::string_view text, size_t columns, std::string_view indent);
// The same, and words that are wider than a line are broken, too: behind a sign if there is one.
std::string wrap_words(std::string_view text, size_t columns, std::string_view indent);
// A text behind a title, which the other lines are indented by; with a newline. Where there is room
// for it, the right margin is as wide as the left one.
std::string paragraph(std::string_view title, std::string_view text, size_t columns);
// Lines that are wider than `columns` are broken and go on a bit further to the right than they
// began; all others, and the newline at the end, stay.
std::string fit(std::string_view lines, size_t columns);
// How many lines a text has that ends in a newline.
size_t line_count(std::string_view text);

// Padded with spaces on the right to `columns`.
std::string pad(std::string_view text, size_t columns);

// 4,011,225
std::string thousands(uint64_t number);

// "1 schedule", "12 schedules", with thousands separators.
std::string count(uint64_t number, std::string_view noun);

// 137k, 1.2M: three digits at most, for rates.
std::string rough(double number);
// Of what is counted one by one: "about 7", "about 1,024", "about 38k", "more than 1,000T".
std::string about(uint64_t number);

// "0:03", "12:40", "1:02:03": for the progress line.
std::string clock(std::chrono::nanoseconds elapsed);

// "500 ms", "10 s", "5 m", "1 h": as people write a limit.
std::string duration(std::chrono::nanoseconds length);

// The text of a fixed-size array that may lack its terminator.
template <size_t N>
std::string_view bounded(const char (&text)[N]) {
  size_t length = 0;
  while (length < N && text[length] != '\0') ++length;
  return {text, length};
}

// Without the spaces at both ends.
std::string_view trimmed(std::string_view text);

// The part behind the last slash.
std::string_view base_name(std::string_view path);

}  // namespace jostle::report
