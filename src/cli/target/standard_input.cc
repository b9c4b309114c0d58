// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/standard_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace jostle::cli {
namespace {

constexpr off_t kMostRecorded = off_t{1} << 30;
constexpr int kPatience = 1000;  // milliseconds before we say what we wait for

Result<Descriptor> open_null() {
  Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.valid()) {
    return Error{Exit::internal, fmt::format("cannot open /dev/null: {}", std::strerror(errno))};
  }
  return null;
}

Error cannot_keep(int error) {
  return {Exit::output,
          fmt::format("cannot keep standard input in a temporary file: {} (set TMPDIR, or use < "
                      "/dev/null)",
                      std::strerror(error))};
}

Result<Descriptor> temporary_file() {
  const char* directory = std::getenv("TMPDIR");
  if (directory == nullptr || directory[0] == '\0') directory = "/tmp";
  Descriptor file(open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.valid()) return file;
  std::string name = fmt::format("{}/jostle-stdin-XXXXXX", directory);
  file.reset(mkostemp(name.data(), O_CLOEXEC));
  if (!file.valid()) return cannot_keep(errno);
  unlink(name.c_str());
  return file;
}

bool write_all(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// Reads descriptor 0 to its end into a file.
Result<Descriptor> spool() {
  Result<Descriptor> file = temporary_file();
  if (!file) return file.error();
  pollfd entry{STDIN_FILENO, POLLIN, 0};
  if (poll(&entry, 1, kPatience) == 0) {
    note("reads standard input to its end first (use < /dev/null if the program needs none)");
  }
  std::vector<char> buffer(1 << 16);
  while (true) {
    const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      poll(&entry, 1, -1);
      continue;
    }
    if (n < 0) return cannot_keep(errno);
    if (n == 0) break;
    if (!write_all(file->get(), buffer.data(), static_cast<size_t>(n))) return cannot_keep(errno);
  }
  lseek(file->get(), 0, SEEK_SET);
  return file;
}

// The bytes of a file from its beginning, without moving its position.
RecordedInput read_bytes(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kMostRecorded) {
    return {RecordedInput::Kind::inherit};
  }
  RecordedInput input{RecordedInput::Kind::bytes,
                      std::string(static_cast<size_t>(info.st_size), 0)};
  size_t have = 0;
  while (have < input.bytes.size()) {
    const ssize_t n =
        pread(fd, input.bytes.data() + have, input.bytes.size() - have, static_cast<off_t>(have));
    if (n <= 0) break;
    have += static_cast<size_t>(n);
  }
  input.bytes.resize(have);
  return input;
}

bool is_null(const struct stat& info) {
  return S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3);
}

}  // namespace

Result<StandardInput> prepare_input() {
  StandardInput input;
  struct stat info;
  const bool is_open = fstat(STDIN_FILENO, &info) == 0;
  if (!is_open || is_null(info) || isatty(STDIN_FILENO) != 0) {
    Result<Descriptor> null = open_null();
    if (!null) return null.error();
    input.file = std::move(*null);
    return input;
  }
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode) || S_ISDIR(info.st_mode)) {
    input.file.reset(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    input.is_device = true;
    return input;
  }
  input.is_file = true;
  if (S_ISREG(info.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) {
    input.file.reset(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    return input;
  }
  Result<Descriptor> file = spool();
  if (!file) return file.error();
  input.file = std::move(*file);
  return input;
}

namespace {

// All of it from its beginning, in a file of our own.
Descriptor copy_of(int fd) {
  Result<Descriptor> file = temporary_file();
  if (!file) return Descriptor();
  std::vector<char> buffer(1 << 16);
  for (off_t at = 0;;) {
    const ssize_t n = pread(fd, buffer.data(), buffer.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) break;
    if (n < 0 || !write_all(file->get(), buffer.data(), static_cast<size_t>(n))) {
      return Descriptor();
    }
    at += n;
  }
  lseek(file->get(), 0, SEEK_SET);
  return std::move(*file);
}

}  // namespace

Descriptor reopen(int fd) {
  struct stat info;
  const bool is_file = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  // What is no file has no position that would have to be its own.
  if (!is_file) return Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
  Descriptor again(open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDONLY | O_CLOEXEC));
  // Somebody else may have opened it for us, and we may not.
  return again.valid() ? std::move(again) : copy_of(fd);
}

RecordedInput record_input(const StandardInput& input) {
  if (input.is_device) return {RecordedInput::Kind::inherit};
  if (!input.is_file) return {RecordedInput::Kind::nothing};
  return read_bytes(input.file.get());
}

RecordedInput record_inherited_input() {
  struct stat info;
  if (fstat(STDIN_FILENO, &info) != 0 || is_null(info)) return {RecordedInput::Kind::nothing};
  const bool at_start = S_ISREG(info.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
  return at_start ? read_bytes(STDIN_FILENO) : RecordedInput{RecordedInput::Kind::inherit};
}

Result<Descriptor> open_recorded(const RecordedInput& input) {
  if (input.kind == RecordedInput::Kind::inherit) return Descriptor();
  if (input.kind == RecordedInput::Kind::nothing) return open_null();
  Result<Descriptor> file = temporary_file();
  if (!file) return file.error();
  if (!write_all(file->get(), input.bytes.data(), input.bytes.size())) return cannot_keep(errno);
  lseek(file->get(), 0, SEEK_SET);
  return file;
}

}  // namespace jostle::cli
