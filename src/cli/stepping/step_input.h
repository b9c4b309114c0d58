// SPDX-License-Identifier: Apache-2.0
// The lines of commands for `jostle step`, from a terminal, a pipe or a file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "src/cli/support/descriptor.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

class LineSource {
 public:
  // Standard input.
  LineSource() : fd_(STDIN_FILENO) {}
  static Result<LineSource> open(const std::string& path);

  bool is_terminal() const;
  int descriptor() const { return fd_; }

  // The next line without its end; nullopt at the end of the input. While it waits, `give_up` is
  // asked now and then, and after every signal: true ends the waiting with nullopt, too.
  std::optional<std::string> next(const std::function<bool()>& give_up);
  bool at_end() const { return at_end_; }

 private:
  Descriptor file_;
  int fd_;
  std::string buffer_;
  bool at_end_ = false;
};

}  // namespace jostle::cli
