#include "src/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "src/report/text.h"

namespace jostle::cli {
namespace {

constexpr std::chrono::milliseconds kOnTerminal{200};
constexpr std::chrono::seconds kInLog{5};

bool is_live_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

bool wants_colour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_live_terminal(fd) && (no_colour == nullptr || no_colour[0] == '\0');
}

std::vector<std::string> progress_lines(const ProgressView& view) {
  const Totals& totals = view.totals;
  const double seconds = std::chrono::duration<double>(view.elapsed).count();
  const double rate = seconds > 0 ? static_cast<double>(totals.schedules) / seconds : 0;
  int failures = 0;
  std::string kinds;
  for (const auto& [kind, count] : view.failures) {
    failures += count;
    kinds += fmt::format("{}{} {}", kinds.empty() ? " (" : ", ", kind, count);
  }
  if (!kinds.empty()) kinds += ")";
  std::vector<std::string> lines = {fmt::format(
      "{:>6}   {}   {}/s   rf pairs {}   signatures {}   corpus {}   failures {}{}",
      report::clock(view.elapsed), report::count(totals.schedules, "schedule"), report::rough(rate),
      report::thousands(totals.reads_from_pairs), report::thousands(totals.reads_from_sets),
      report::thousands(totals.corpus), failures, kinds)};
  const channel::Exploration& explored = totals.exploration;
  if (explored.unexplored != 0) {
    lines.push_back(fmt::format("         {} explored, at least {} left",
                                report::thousands(explored.explored),
                                report::thousands(explored.unexplored)));
  }
  if (!view.shares.empty()) lines.push_back("         " + view.shares);
  for (std::string& line : lines) line = report::shorten(line, report::kColumns - 1);
  return lines;
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(is_live_terminal(STDERR_FILENO)) {
  next_ = Clock::now() + (terminal_ ? std::chrono::nanoseconds(kOnTerminal) : kInLog);
}

void Progress::show(const ProgressView& view) {
  if (quiet_ || Clock::now() < next_) return;
  next_ = Clock::now() + (terminal_ ? std::chrono::nanoseconds(kOnTerminal) : kInLog);
  const std::vector<std::string> lines = progress_lines(view);
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
