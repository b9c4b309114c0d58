// SPDX-License-Identifier: Apache-2.0
// Patterns for functions that are to be stop points: `Buffer::*`, `weak:entry:ns::Queue<*>::push`,
// `!Buffer::size`.
//
// A pattern is compared with the qualified name of a function, without its parameters. `*` stands
// for any characters, `::` included, and `?` for one. Template arguments and unnamed namespaces of
// a function may be written or left out, each for itself: `Queue::push` and `Queue<int>::push` both
// match Queue<int>::push(int). A name without scope is that of a free function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/support/error.h"

namespace jostle::cli {

struct StopPattern {
  std::string text;    // as the user wrote it
  std::string source;  // where: "--stop-at", "stops.txt:3"
  std::string glob;
  uint32_t kinds = 0;  // channel::StopKind bits
  bool excludes = false;
};

// One pattern. `source` begins the message of an error.
Result<StopPattern> parse_stop_pattern(std::string_view text, const std::string& source);

// A file of patterns, one a line; `#` begins a comment.
Result<std::vector<StopPattern>> parse_stop_file(std::string_view text, const std::string& path);
Result<std::vector<StopPattern>> read_stop_file(const std::string& path);

// `name`: as report::qualified_name gives it.
bool matches(const StopPattern& pattern, std::string_view name);

}  // namespace jostle::cli
