// SPDX-License-Identifier: Apache-2.0
// The terminal that a report is read on.
#pragma once

#include <cstdio>
#include <optional>

#include "src/report/words/text.h"

namespace jostle::cli {

inline constexpr size_t kNarrowestTerminal = 40;
inline constexpr size_t kWidestTerminal = 200;  // longer lines are hard to follow

// How wide lines to this descriptor may be: $COLUMNS if it is set, else what the terminal says;
// report::kColumns when it is none.
size_t terminal_columns(int fd);
// The same, but none when nobody says: then lines may be as long as they are.
std::optional<size_t> known_columns(int fd);

// Colour and cursor movement are for terminals, and not wanted with NO_COLOR or TERM=dumb.
bool wants_colour(int fd);
// It can move its cursor.
bool is_live_terminal(int fd);

// How a report is laid out.
struct Screen {
  size_t columns = report::kColumns;
  bool colour = false;
};
Screen screen_of(FILE* stream);

}  // namespace jostle::cli
