// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recording/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "src/cli/recording/replay_file.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

// A name next to the final one that no other process uses.
std::string temporary_name(const std::string& near) {
  static std::atomic<int> counter{0};
  return fmt::format("{}.tmp-{}-{}", near, getpid(), counter++);
}

// 0, or errno. Close is checked too: some file systems report a full disk only there.
int write_and_close(Descriptor file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<size_t>(n));
  }
  const int fd = dup(file.get());
  file.reset();
  return fd >= 0 && close(fd) != 0 ? errno : 0;
}

// The signature that the replay file of a finding carries; it is near the beginning.
std::string signature_in(const std::string& folder) {
  const std::string path = folder + "/" + kReplayFileName;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text(1 << 18, '\0');
  const ssize_t n = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  for (const std::string_view key : {"\"identity\": \"", "\"signature\": \""}) {
    const size_t at = text.find(key);
    if (at != std::string::npos) return text.substr(at + key.size(), 16);
  }
  return "";
}

}  // namespace

Error cannot_write(const std::string& path, int error) {
  const char* advice = error == ENOSPC || error == EDQUOT || error == EFBIG
                           ? "free some space, or write elsewhere"
                           : "write elsewhere, or check its permissions";
  return {Exit::output,
          fmt::format("cannot write {}: {} ({})", path, std::strerror(error), advice)};
}

Result<AtomicFile> AtomicFile::open(const std::string& path) {
  struct stat info;
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return cannot_write(path, EISDIR);
  const bool in_place = exists && !S_ISREG(info.st_mode);
  std::string temporary = in_place ? "" : temporary_name(path);
  Descriptor file(in_place
                      ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC)
                      : ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) return cannot_write(path, errno);
  return AtomicFile(path, std::move(temporary), std::move(file));
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      file_(std::move(other.file_)) {}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

MaybeError AtomicFile::commit(std::string_view text) {
  if (const int error = write_and_close(std::move(file_), text)) return cannot_write(path_, error);
  if (temporary_.empty()) return std::nullopt;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  temporary_.clear();
  return std::nullopt;
}

Result<OutputFolder> OutputFolder::open(const std::string& base, const std::string& program) {
  const std::string path = (fs::path(base) / program).string();
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return cannot_write(path, error.value());
  // Permission bits do not tell about read-only file systems or quotas; a real file does.
  const std::string probe = temporary_name(path + "/.probe");
  const Descriptor file(::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) return cannot_write(path, errno);
  unlink(probe.c_str());
  for (const char* inside : {"", "/corpus", "/unconfirmed"}) remove_leftovers(path + inside);
  return OutputFolder(path, path);
}

std::string file_name_for(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    result += plain ? c : '-';
  }
  if (result.empty() || result.front() == '.') result.insert(0, "check");
  return result.substr(0, 100);
}

void remove_leftovers(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    constexpr std::string_view kMark = ".tmp-";
    const size_t at = name.rfind(kMark);
    if (at == std::string::npos) continue;
    const char* number = name.c_str() + at + kMark.size();
    char* end = nullptr;
    const long owner = std::strtol(number, &end, 10);
    if (end == number || *end != '-' || owner <= 0) continue;
    if (kill(static_cast<pid_t>(owner), 0) == 0 || errno != ESRCH) continue;
    std::error_code ignored;
    fs::remove_all(entry.path(), ignored);
  }
}

Result<Draft> Draft::begin(const OutputFolder& folder) {
  const std::string path = temporary_name(folder.path() + "/.draft");
  if (mkdir(path.c_str(), 0777) != 0) return cannot_write(folder.path(), errno);
  return Draft(folder.findings(), path, folder.is_shared());
}

Draft::~Draft() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<Descriptor> Draft::create(const std::string& name) const {
  const std::string path = path_ + "/" + name;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
  if (!file.valid()) return cannot_write(parent_ + "/" + name, errno);
  return file;
}

MaybeError Draft::write(const std::string& name, std::string_view text) const {
  Result<Descriptor> file = create(name);
  if (!file) return file.error();
  if (const int error = write_and_close(std::move(*file), text)) {
    unlink((path_ + "/" + name).c_str());  // half of it helps nobody, and others may fit
    return cannot_write(parent_ + "/" + name, error);
  }
  return std::nullopt;
}

Draft::Published Draft::destination(std::string_view kind, uint64_t signature) const {
  const std::string digits = fmt::format("{:016x}", signature);
  std::string path;
  for (const size_t length : {size_t{6}, size_t{12}, size_t{16}}) {
    if (is_shared_ && length < digits.size()) continue;
    path = fmt::format("{}/{}-{}", parent_, kind, digits.substr(0, length));
    std::error_code error;
    if (!fs::exists(path, error)) return {path, true};
    if (signature_in(path) == digits) return {path, false};
  }
  return {path, false};
}

MaybeError Draft::publish(const Published& destination) {
  if (!destination.is_new) return std::nullopt;
  if (rename(path_.c_str(), destination.path.c_str()) != 0) {
    // Another campaign was faster: its finding is as good as ours.
    if (errno == ENOTEMPTY || errno == EEXIST) return std::nullopt;
    return cannot_write(destination.path, errno);
  }
  path_.clear();
  return std::nullopt;
}

}  // namespace jostle::cli
