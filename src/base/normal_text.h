// SPDX-License-Identifier: Apache-2.0
// Text without what differs from run to run and from build to build: it is equal for failures that
// say the same.
#pragma once

#include <cstddef>

namespace jostle {

// Writes `text` to `to`, which has room for `size` bytes, and returns how many it is now:
// every number is one 0 ("got 3 of 20", "0x7f12ab"), folders of paths are left out
// ("/home/a/bank.cc" is "bank.cc"), white space is one space.
constexpr size_t normalise(const char* text, size_t size, char* to) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_hex = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  const auto may_be_path = [&](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '_' || c == '-' || c == '+' || c == '~' || c == '/';
  };
  size_t used = 0;
  size_t word = 0;  // where the path that may be there begins
  for (size_t i = 0; i < size; ++i) {
    const char c = text[i];
    if (is_space(c)) {
      if (used != 0 && to[used - 1] != ' ') to[used++] = ' ';
      word = used;
    } else if (c == '/' && i + 1 < size && may_be_path(text[i + 1]) && text[i + 1] != '/') {
      used = word;
    } else if (is_digit(c)) {
      const bool hex = c == '0' && i + 2 < size && (text[i + 1] == 'x' || text[i + 1] == 'X') &&
                       is_hex(text[i + 2]);
      if (hex) ++i;
      while (i + 1 < size && (hex ? is_hex(text[i + 1]) : is_digit(text[i + 1]))) ++i;
      to[used++] = '0';
    } else {
      to[used++] = c;
      if (!may_be_path(c)) word = used;
    }
  }
  while (used != 0 && to[used - 1] == ' ') --used;
  return used;
}

}  // namespace jostle
