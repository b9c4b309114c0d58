// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/progress_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::seconds kInLog{5};

// One thing that the line tells; the highest rank goes first when it is too long.
struct Piece {
  int rank;
  std::string text;
};

std::string joined(std::vector<Piece> pieces, size_t columns) {
  constexpr std::string_view kGap = "   ";
  for (;;) {
    std::string line;
    for (const Piece& piece : pieces) {
      if (!line.empty()) line += piece.text.starts_with('(') ? " " : kGap;
      line += piece.text;
    }
    if (report::width(line) <= columns || pieces.size() == 1) return report::shorten(line, columns);
    pieces.erase(std::ranges::max_element(pieces, {}, &Piece::rank));
  }
}

}  // namespace

std::vector<std::string> progress_lines(const ProgressView& view, size_t columns) {
  const Totals& totals = view.totals;
  const double seconds = std::chrono::duration<double>(view.elapsed).count();
  const double rate = seconds > 0 ? static_cast<double>(totals.schedules) / seconds : 0;
  int failures = 0;
  std::string kinds;
  for (const auto& [kind, count] : view.failures) {
    failures += count;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "(" : ", ", kind, count);
  }
  if (!kinds.empty()) kinds += ")";
  std::vector<Piece> pieces = {
      {0, fmt::format("{:>6}", report::clock(view.elapsed))},
      {1, report::count(totals.schedules, "schedule")},
      {3, fmt::format("{}/s", report::rough(rate))},
      {7, fmt::format("rf pairs {}", report::thousands(totals.reads_from_pairs))},
      {6, fmt::format("signatures {}", report::thousands(totals.reads_from_sets))},
      {5, fmt::format("corpus {}", report::thousands(totals.corpus))},
      {2, fmt::format("failures {}", failures)}};
  if (!kinds.empty()) pieces.push_back({4, kinds});
  std::vector<std::string> lines = {joined(std::move(pieces), columns)};
  const channel::Exploration& explored = totals.exploration;
  if (explored.is_reduced && explored.estimate != 0 && !explored.finished) {
    const double share =
        static_cast<double>(explored.explored) / static_cast<double>(explored.estimate);
    lines.push_back(fmt::format("         {} of {} executions, {:.0f} %",
                                report::thousands(explored.explored),
                                report::about(explored.estimate), 100 * std::min(share, 1.0)));
  } else if (explored.unexplored != 0) {
    lines.push_back(fmt::format("         {} explored, at least {} left",
                                report::thousands(explored.explored),
                                report::thousands(explored.unexplored)));
  }
  if (!view.shares.empty()) lines.push_back("         " + view.shares);
  for (std::string& line : lines) line = report::shorten(line, columns);
  return lines;
}

Progress::Progress(bool quiet, std::string title)
    : quiet_(quiet), title_(std::move(title)), terminal_(is_live_terminal(STDERR_FILENO)) {
  next_ = Clock::now() + (terminal_ ? std::chrono::nanoseconds(kOnTerminal) : kInLog);
}

void Progress::show(const ProgressView& view) {
  if (quiet_ || Clock::now() < next_) return;
  next_ = Clock::now() + (terminal_ ? std::chrono::nanoseconds(kOnTerminal) : kInLog);
  const size_t columns = terminal_columns(STDERR_FILENO) - 1;
  std::vector<std::string> lines = progress_lines(view, columns);
  if (!title_.empty() && terminal_) lines.insert(lines.begin(), report::shorten(title_, columns));
  if (!terminal_) {
    fmt::print(stderr, "{}\n", lines[0]);
    std::fflush(stderr);
    return;
  }
  // Back to the first line of what is there, and over it.
  std::string text = visible_ > 1 ? fmt::format("\x1b[{}A", visible_ - 1) : "";
  for (size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("{}\r{}\x1b[K", i ? "\n" : "", lines[i]);
  }
  fmt::print(stderr, "{}\x1b[J", text);
  std::fflush(stderr);
  visible_ = lines.size();
}

void Progress::clear() {
  if (visible_ != 0) {
    const std::string up = visible_ > 1 ? fmt::format("\x1b[{}A", visible_ - 1) : "";
    fmt::print(stderr, "{}\r\x1b[J", up);
    std::fflush(stderr);
  }
  visible_ = 0;
}

}  // namespace jostle::cli
