// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "src/cli/support/plain_signs.h"
#include "src/cli/support/values.h"

namespace jostle::cli {
namespace {

// 0: nobody says.
size_t said_columns(int fd) {
  if (const char* text = std::getenv("COLUMNS")) {
    if (const auto number = parse_number(text); number && *number != 0) return *number;
  }
  winsize size = {};
  const bool known = isatty(fd) != 0 && ioctl(fd, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

}  // namespace

std::optional<size_t> known_columns(int fd) {
  const size_t columns = said_columns(fd);
  if (columns == 0) return std::nullopt;
  return std::clamp(columns, kNarrowestTerminal, kWidestTerminal);
}

size_t terminal_columns(int fd) { return known_columns(fd).value_or(report::kColumns); }

bool is_live_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

bool wants_colour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  return is_live_terminal(fd) && (no_colour == nullptr || no_colour[0] == '\0');
}

Screen screen_of(FILE* stream) {
  const int fd = descriptor_of(stream);
  return {terminal_columns(fd), wants_colour(fd)};
}

}  // namespace jostle::cli
