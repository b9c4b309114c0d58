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

std::string progress_line(const Totals& totals, std::chrono::nanoseconds elapsed, size_t failures) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  const double rate = seconds > 0 ? static_cast<double>(totals.schedules) / seconds : 0;
  return fmt::format("{:>6}   {}   {}/s   distinct {}   failures {}", report::clock(elapsed),
                     report::count(totals.schedules, "schedule"), report::rough(rate),
                     report::thousands(totals.distinct), failures);
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(is_live_terminal(STDERR_FILENO)) {
  next_ = Clock::now() + (terminal_ ? std::chrono::nanoseconds(kOnTerminal) : kInLog);
}

void Progress::show(const Totals& totals, std::chrono::nanoseconds elapsed, size_t failures) {
  if (quiet_ || Clock::now() < next_) return;
  next_ = Clock::now() + (terminal_ ? std::chrono::nanoseconds(kOnTerminal) : kInLog);
  const std::string line = progress_line(totals, elapsed, failures);
  if (terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
  visible_ = true;
}

void Progress::clear() {
  if (visible_ && terminal_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  visible_ = false;
}

}  // namespace jostle::cli
