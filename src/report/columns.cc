#include "src/report/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/report/text.h"

namespace jostle::report {
namespace {

using Kind = InterleavingRow::Kind;

constexpr size_t kIndent = 4;
constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 20;

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

// One row, at most `columns` wide. The values are what a reader compares: the source gives way.
std::string row_text(const InterleavingRow& row, std::string_view home, size_t columns) {
  switch (row.kind) {
    case Kind::left_out:
      return shorten(fmt::format("   … {}", count(row.count, "step")), columns);
    case Kind::preempted:
      return shorten("── preempted ──", columns);
    case Kind::waits:
      return shorten(fmt::format("   ({})", row.text), columns);
    case Kind::failed:
      return shorten(fmt::format("   ✗ {}", row.text), columns);
    case Kind::line:
      break;
  }
  std::string place;
  if (row.line != 0) {
    place =
        row.file == home ? fmt::format("{} ", row.line) : fmt::format("{}:{} ", row.file, row.line);
  }
  std::string note = row.note.empty() ? "" : fmt::format("  ({})", row.note);
  if (!row.object.empty() && !row.note.empty()) {
    const std::string full = fmt::format("  ({}: {})", row.object, row.note);
    if (width(place) + width(row.text) + width(full) <= columns) note = full;
  }
  const size_t needed = width(place) + width(note);
  if (needed + 8 > columns) {
    return shorten(fmt::format("{}{}{}", place, shorten(row.text, 12), note), columns);
  }
  return place + shorten(row.text, columns - needed) + note;
}

std::string coloured(const InterleavingRow& row, const std::string& text, bool colour) {
  if (!colour) return text;
  switch (row.kind) {
    case Kind::left_out:
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

// How wide each column has to be; they share what is there by what they need.
std::vector<size_t> column_widths(const Interleaving& interleaving, Names& names,
                                  std::string_view home, size_t room) {
  std::vector<size_t> wanted;
  for (const uint32_t thread : interleaving.threads) {
    size_t most = width(names.title(thread));
    for (const InterleavingRow& row : interleaving.rows) {
      if (row.thread == thread) most = std::max(most, width(row_text(row, home, room)));
    }
    wanted.push_back(std::max(most, kNarrowest));
  }
  size_t total = 0;
  for (const size_t columns : wanted) total += columns;
  // Take from the widest until it fits.
  while (total > room) {
    auto widest = std::ranges::max_element(wanted);
    if (*widest <= kNarrowest / 2) break;
    --*widest;
    --total;
  }
  return wanted;
}

std::string in_columns(const Interleaving& interleaving, Names& names, const ColumnOptions& options,
                       std::string_view home) {
  const size_t count = interleaving.threads.size();
  const std::vector<size_t> widths =
      column_widths(interleaving, names, home, options.width - kIndent - kGap * (count - 1));
  std::string header(kIndent, ' ');
  std::vector<size_t> starts;
  size_t start = kIndent;
  for (size_t i = 0; i < count; ++i) {
    starts.push_back(start);
    start += widths[i] + kGap;
    header += pad(shorten(names.title(interleaving.threads[i]), widths[i]), widths[i] + kGap);
  }
  header = trimmed(header);
  std::string text =
      options.colour ? "\x1b[4m" + header.substr(0, header.size() - 1) + "\x1b[0m\n" : header;
  for (const InterleavingRow& row : interleaving.rows) {
    const auto column = static_cast<size_t>(std::ranges::find(interleaving.threads, row.thread) -
                                            interleaving.threads.begin());
    text += std::string(starts[column], ' ') +
            coloured(row, row_text(row, home, widths[column]), options.colour) + "\n";
  }
  return text;
}

std::string in_one_column(const Interleaving& interleaving, Names& names,
                          const ColumnOptions& options, std::string_view home) {
  constexpr size_t kWidestTitle = 22;
  size_t title = 4;
  for (const uint32_t thread : interleaving.threads) {
    title = std::max(title, width(names.title(thread)));
  }
  title = std::min(title, kWidestTitle);
  const size_t room = options.width - kIndent - title - 3;
  std::string text;
  uint32_t last = UINT32_MAX;
  for (const InterleavingRow& row : interleaving.rows) {
    const std::string who = row.thread == last ? "" : shorten(names.title(row.thread), title);
    last = row.thread;
    text += trimmed(std::string(kIndent, ' ') + pad(who, title) + " │ " +
                    coloured(row, row_text(row, home, room), options.colour));
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
  return first + (interleaving.threads.size() <= options.most_columns
                      ? in_columns(interleaving, names, options, home.file)
                      : in_one_column(interleaving, names, options, home.file));
}

}  // namespace jostle::report
