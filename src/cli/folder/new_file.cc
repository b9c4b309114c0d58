// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>

#include "src/cli/recording/files.h"
#include "src/cli/support/descriptor.h"

namespace jostle::cli {
namespace {

// 0, or errno.
int write_synced(const std::string& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) return errno;
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  // Some file systems have no sync, and say so; a full disk may show only here.
  if (fsync(file.get()) != 0 && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) {
    return errno;
  }
  return 0;
}

// 0, EEXIST, or another errno. Not all file systems have the first, nor the second way.
int rename_to_new(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  struct stat info;
  if (lstat(to.c_str(), &info) == 0) return EEXIST;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

Result<NewFile> write_new_file(const std::string& path, std::string_view bytes,
                               std::string_view unique) {
  // What an attempt that failed has left behind is in nobody's way.
  static std::atomic<int> attempt{0};
  const std::string temporary = fmt::format("{}.tmp-{}-{}", path, unique, attempt++);
  int error = write_synced(temporary, bytes);
  if (error == 0) error = rename_to_new(temporary, path);
  if (error == 0) return NewFile::written;
  unlink(temporary.c_str());
  if (error == EEXIST) return NewFile::was_there;
  return cannot_write(path, error);
}

std::optional<std::string> read_whole_file(const std::string& path, size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!file.valid() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  const auto size = static_cast<size_t>(info.st_size);
  if (size > most) return std::nullopt;
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < size) {
    const ssize_t n = ::read(file.get(), bytes.data() + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

const std::string& own_mark() {
  static const std::string mark = [] {
    char host[65] = {};
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    return fmt::format("{}-{}-{:08x}", file_name_for(host), getpid(), std::random_device{}());
  }();
  return mark;
}

}  // namespace jostle::cli
