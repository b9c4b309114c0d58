// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using Kind = InterleavingRow::Kind;

constexpr size_t kIndent = 4;
constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 20;
// Columns are not made narrower than this to fit.
constexpr size_t kReadable = 40;

// Which lines need no file's name: those of the file that most of them are in, if it is more than
// half. Empty: all need it.
struct Home {
  std::string_view file;
  bool is_only = false;
};

Home home_of(const Interleaving& interleaving) {
  std::map<std::string_view, size_t> lines;
  size_t all = 0;
  for (const InterleavingRow& row : interleaving.rows) {
    if (row.kind != Kind::line || row.file.empty()) continue;
    ++lines[row.file];
    ++all;
  }
  for (const auto& [file, count] : lines) {
    if (2 * count > all) return {file, count == all};
  }
  return {};
}

std::string place_text(const InterleavingRow& row, std::string_view home) {
  if (row.line == 0) return {};
  return row.file == home ? fmt::format("{} ", row.line)
                          : fmt::format("{}:{} ", row.file, row.line);
}

std::string note_text(const InterleavingRow& row) {
  return row.note.empty() ? "" : fmt::format("  ({})", row.note);
}

// So that the source can be seen beside it.
std::string note_text(const InterleavingRow& row, size_t columns) {
  std::string whole = note_text(row);
  if (row.brief.empty() || width(whole) * 2 <= columns) return whole;
  return fmt::format("  ({})", row.brief);
}

constexpr size_t kLeastOfSource = 8;

// How wide it has to be for the values to be seen.
size_t least_width(const InterleavingRow& row, std::string_view home) {
  if (row.kind != Kind::line || row.note.empty()) return 0;
  return width(place_text(row, home)) + width(note_text(row)) +
         std::min(width(row.text), kLeastOfSource);
}

// One row, at most `columns` wide. The values are what a reader compares: the source gives way.
std::string row_text(const InterleavingRow& row, std::string_view home, size_t columns) {
  switch (row.kind) {
    case Kind::left_out:
      return shorten(fmt::format("   … {}", count(row.count, "step")), columns);
    case Kind::folded:
      return shorten(row.text, columns);
    case Kind::preempted:
      return shorten("── preempted ──", columns);
    case Kind::waits:
      return shorten(fmt::format("   ({})", row.text), columns);
    case Kind::failed:
      return shorten(fmt::format("   ✗ {}", row.text), columns);
    case Kind::line:
      break;
  }
  const std::string place = place_text(row, home);
  std::string note = note_text(row, columns);
  if (!row.object.empty() && !row.note.empty()) {
    const std::string full = fmt::format("  ({}: {})", row.object, row.note);
    // Where nothing else says what it is, half of the room is for that.
    const size_t source = row.is_unsaid ? std::min(width(row.text), columns / 2) : width(row.text);
    if (width(place) + source + width(full) <= columns) note = full;
  }
  const size_t needed = width(place) + width(note);
  if (needed + kLeastOfSource > columns) {
    return shorten(fmt::format("{}{}{}", place, shorten(row.text, 12), note), columns);
  }
  return place + shorten(row.text, columns - needed) + note;
}

std::string coloured(const InterleavingRow& row, const std::string& text, bool colour) {
  if (!colour) return text;
  switch (row.kind) {
    case Kind::left_out:
    case Kind::folded:
    case Kind::waits:
      return "\x1b[2m" + text + "\x1b[0m";
    case Kind::preempted:
      return "\x1b[33m" + text + "\x1b[0m";
    case Kind::failed:
      return "\x1b[31m" + text + "\x1b[0m";
    case Kind::line:
      return row.decisive ? "\x1b[1m" + text + "\x1b[0m" : text;
  }
  return text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

struct Column {
  size_t wide;   // so wide it is
  size_t least;  // and so wide it has to be
};

// They share what is there by what they need. Empty: they would be too narrow.
std::vector<Column> share_columns(const Interleaving& interleaving, Names& names,
                                  std::string_view home, size_t room) {
  std::vector<Column> columns;
  size_t total = 0;
  for (const uint32_t thread : interleaving.threads) {
    Column column{std::max(width(names.title(thread)), kNarrowest), kReadable};
    for (const InterleavingRow& row : interleaving.rows) {
      if (row.thread != thread || row.kind == Kind::folded) continue;
      column.wide = std::max(column.wide, width(row_text(row, home, room)));
      column.least = std::max(column.least, least_width(row, home));
    }
    columns.push_back(column);
    total += column.wide;
  }
  // Take from the widest that can be narrower until it fits.
  for (; total > room; --total) {
    const auto widest = std::ranges::max_element(columns, {}, [](const Column& column) {
      return column.wide > column.least ? column.wide : 0;
    });
    if (widest->wide <= widest->least) return {};
    --widest->wide;
  }
  return columns;
}

std::string in_columns(const Interleaving& interleaving, Names& names, const ColumnOptions& options,
                       std::string_view home, const std::vector<Column>& columns) {
  const size_t count = interleaving.threads.size();
  std::string header(kIndent, ' ');
  std::vector<size_t> starts;
  size_t start = kIndent;
  for (size_t i = 0; i < count; ++i) {
    starts.push_back(start);
    const size_t wide = columns[i].wide;
    start += wide + kGap;
    header += pad(shorten(names.title(interleaving.threads[i]), wide), wide + kGap);
  }
  header = trimmed(header);
  std::string text =
      options.colour ? "\x1b[4m" + header.substr(0, header.size() - 1) + "\x1b[0m\n" : header;
  for (const InterleavingRow& row : interleaving.rows) {
    if (row.kind == Kind::folded) {
      text += std::string(kIndent, ' ') +
              coloured(row, row_text(row, home, options.width - kIndent), options.colour) + "\n";
      continue;
    }
    const auto column = static_cast<size_t>(std::ranges::find(interleaving.threads, row.thread) -
                                            interleaving.threads.begin());
    text += std::string(starts[column], ' ') +
            coloured(row, row_text(row, home, columns[column].wide), options.colour) + "\n";
  }
  return text;
}

// The lines of a text that is broken where it is too wide; the others are indented.
std::vector<std::string> broken(const std::string& text, size_t room) {
  constexpr std::string_view kFurther = " ";
  std::vector<std::string> lines;
  std::istringstream all(wrap_words(text, room, kFurther));
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  return lines;
}

// Where there is little room a line has its values below it, and what is said of the end takes as
// many lines as it needs.
std::vector<std::string> row_lines(const InterleavingRow& row, std::string_view home, size_t room) {
  constexpr size_t kComfortable = 60;
  constexpr std::string_view kIndent = "   ";
  const std::string one = row_text(row, home, room);
  if (room >= kComfortable || one == row_text(row, home, SIZE_MAX / 2)) return {one};
  const bool has_note = row.kind == Kind::line && !row.note.empty();
  if (row.kind != Kind::failed && !has_note) return {one};
  std::string below = fmt::format("✗ {}", row.text);
  std::vector<std::string> lines;
  if (has_note) {
    InterleavingRow source = row;
    source.note.clear();
    lines.push_back(row_text(source, home, room));
    below = fmt::format("({}{}{})", row.object, row.object.empty() ? "" : ": ", row.note);
  }
  for (const std::string& line : broken(below, room - kIndent.size())) {
    lines.push_back(std::string(kIndent) + line);
  }
  return lines;
}

std::string in_one_column(const Interleaving& interleaving, Names& names,
                          const ColumnOptions& options, std::string_view home) {
  constexpr size_t kNarrow = 60;
  const size_t widest_title = options.width < kColumns ? options.width / 5 : 22;
  const bool narrow = options.width < kNarrow;
  const size_t indent = narrow ? kIndent / 2 : kIndent;
  // What "T1" does is said elsewhere: where there is little room the line itself comes first.
  const auto name = [&](uint32_t thread) {
    return narrow ? names.label(thread) : names.title(thread);
  };
  size_t title = 4;
  for (const uint32_t thread : interleaving.threads) title = std::max(title, width(name(thread)));
  title = std::min(title, widest_title);
  const size_t room = options.width - indent - title - 3;
  std::string text;
  uint32_t last = UINT32_MAX;
  for (const InterleavingRow& row : interleaving.rows) {
    const bool goes_on = row.thread == last || row.kind == Kind::folded;
    std::string who = goes_on ? "" : shorten(name(row.thread), title);
    last = row.kind == Kind::folded ? UINT32_MAX : row.thread;
    for (const std::string& line : row_lines(row, home, room)) {
      text += trimmed(std::string(indent, ' ') + pad(who, title) + " │ " +
                      coloured(row, line, options.colour));
      who.clear();
    }
  }
  return text;
}

}  // namespace

std::string columns_text(const Interleaving& interleaving, Names& names,
                         const ColumnOptions& options) {
  if (interleaving.rows.empty()) return {};
  const Home home = home_of(interleaving);
  const bool says_so = !home.file.empty() && !home.is_only;
  std::string first;
  if (says_so) {
    const std::string note = fmt::format("(lines of {} where no file is named)", home.file);
    first = std::string(kIndent, ' ') + shorten(note, options.width - kIndent) + "\n";
  }
  const size_t threads = interleaving.threads.size();
  if (threads <= options.most_columns) {
    const size_t room = options.width - kIndent - kGap * (threads - 1);
    const std::vector<Column> columns = share_columns(interleaving, names, home.file, room);
    if (!columns.empty())
      return first + in_columns(interleaving, names, options, home.file, columns);
  }
  return first + in_one_column(interleaving, names, options, home.file);
}

}  // namespace jostle::report
