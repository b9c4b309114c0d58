// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "src/cli/support/terminal.h"
#include "src/report/words/text.h"

namespace jostle::cli {

int fail(const Error& error) {
  note(error.message);
  return static_cast<int>(error.code);
}

void note(const std::string& message) {
  // Messages quote what users and files gave us; one write, so that lines of the target's own
  // processes do not run into ours.
  std::string line = fmt::format("jostle: {}", report::escape(message));
  if (const auto columns = known_columns(STDERR_FILENO)) line = report::wrap(line, *columns, "  ");
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace jostle::cli
