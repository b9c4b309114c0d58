// SPDX-License-Identifier: Apache-2.0
#include "src/cli/stepping/step_place.h"

#include <charconv>

namespace jostle::cli {
namespace {

// Equal, or what is left behind one of the separators.
bool ends_in(std::string_view whole, std::string_view part, std::string_view separator) {
  if (!whole.ends_with(part)) return false;
  whole.remove_suffix(part.size());
  return whole.empty() || whole.ends_with(separator);
}

}  // namespace

Place parse_place(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return {.function = std::string(text)};
  int line = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, line);
  if (error != std::errc() || stopped != end || line <= 0) return {.function = std::string(text)};
  return {.file = std::string(text.substr(0, colon)), .line = line};
}

bool is_at(const report::Frame& frame, const Place& place) {
  if (place.function.empty()) {
    return frame.line == place.line && ends_in(frame.file, place.file, "/");
  }
  return !frame.function.empty() &&
         (frame.function == place.function ||
          ends_in(report::short_function(frame.function), place.function, "::"));
}

}  // namespace jostle::cli
