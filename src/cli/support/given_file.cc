// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/given_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "src/cli/support/descriptor.h"

namespace jostle::cli {

std::optional<std::string> read_given_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string text;
  std::array<char, 65536> part;
  while (true) {
    const ssize_t n = ::read(file.get(), part.data(), part.size());
    if (n == 0) return text;
    if (n > 0) {
      text.append(part.data(), static_cast<size_t>(n));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace jostle::cli
