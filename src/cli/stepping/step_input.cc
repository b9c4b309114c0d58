// SPDX-License-Identifier: Apache-2.0
#include "src/cli/stepping/step_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace jostle::cli {
namespace {

constexpr int kInputPatience = 100;  // milliseconds

}  // namespace

Result<LineSource> LineSource::open(const std::string& path) {
  LineSource source;
  source.file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  // A folder can be opened, and only then not read.
  if (!source.file_.valid() || (::read(source.file_.get(), nullptr, 0) < 0 && errno == EISDIR)) {
    return Error{Exit::usage,
                 fmt::format("cannot read the commands in {}: {}", path, std::strerror(errno))};
  }
  source.fd_ = source.file_.get();
  return source;
}

bool LineSource::is_terminal() const { return isatty(fd_) != 0; }

std::optional<std::string> LineSource::next(const std::function<bool()>& give_up) {
  while (true) {
    if (const size_t end = buffer_.find('\n'); end != buffer_.npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    if (at_end_) {
      if (buffer_.empty()) return std::nullopt;
      return std::exchange(buffer_, {});
    }
    pollfd entry{fd_, POLLIN, 0};
    if (poll(&entry, 1, kInputPatience) <= 0) {
      if (give_up()) return std::nullopt;
      continue;
    }
    char bytes[4096];
    const ssize_t n = read(fd_, bytes, sizeof bytes);
    if (n > 0) buffer_.append(bytes, static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) at_end_ = true;
  }
}

}  // namespace jostle::cli
