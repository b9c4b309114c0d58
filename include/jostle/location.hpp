// SPDX-License-Identifier: Apache-2.0
// Where something was called: std::source_location for compilers that do not have it yet (clang 14
// with libstdc++).
#pragma once

namespace jostle {

class location {
 public:
  static constexpr location current(const char* file = __builtin_FILE(),
                                    unsigned line = __builtin_LINE()) noexcept {
    return location(file, line);
  }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr unsigned line() const noexcept { return line_; }

 private:
  constexpr location(const char* file, unsigned line) noexcept : file_(file), line_(line) {}
  const char* file_;
  unsigned line_;
};

}  // namespace jostle
