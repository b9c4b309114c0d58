// SPDX-License-Identifier: Apache-2.0
#include "src/cli/options/config_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestConfig = 256 << 10;

// A file that somebody else left above us (in /tmp, say) decides nothing. One that belongs to whom
// the current folder belongs to is trusted as the folder is: containers have such.
bool is_trusted(const fs::path& file) {
  struct stat of_file = {}, here = {};
  if (stat(file.c_str(), &of_file) != 0 || stat(".", &here) != 0) return true;  // reading it tells
  return of_file.st_uid == geteuid() || of_file.st_uid == 0 || of_file.st_uid == here.st_uid;
}

// "../jostle.toml" rather than the whole path, unless that is longer.
std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path near = fs::path(path).lexically_proximate(fs::current_path(error));
  return error || near.native().size() > path.native().size() ? path.string() : near.string();
}

Result<std::string> read_config(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return Error{Exit::usage, fmt::format("no configuration file {}", report::escape(path))};
  }
  if (!fs::is_regular_file(status)) {
    return Error{Exit::usage, fmt::format("{} is no file", report::escape(path))};
  }
  if (fs::file_size(path, error) > kLargestConfig) {
    return Error{Exit::usage, fmt::format("{} is too large for a configuration (more than {} KiB)",
                                          report::escape(path), kLargestConfig >> 10)};
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || stream.bad()) {
    return Error{Exit::usage, fmt::format("cannot read {}: {} (--no-config goes on without it)",
                                          report::escape(path), std::strerror(errno))};
  }
  return text.str();
}

}  // namespace

std::string ConfigFile::place(const TomlPosition& at) const {
  return fmt::format("{}:{}:{}", report::escape(path), at.line, at.column);
}

std::string find_config_file() {
  std::error_code error;
  fs::path folder = fs::current_path(error);
  if (error) return {};
  const char* home = std::getenv("HOME");
  while (true) {
    const fs::path file = folder / kConfigName;
    if (fs::exists(file, error)) {
      if (is_trusted(file)) return shown(file);
      note(fmt::format("{} belongs to somebody else and is not read: --config {} does",
                       report::escape(shown(file)), report::escape(shown(file))));
      return {};
    }
    const bool is_home = home != nullptr && *home != '\0' && fs::equivalent(folder, home, error);
    if (is_home || fs::exists(folder / ".git", error) || !folder.has_relative_path()) return {};
    folder = folder.parent_path();
  }
}

Result<ConfigFile> load_config_file(const std::string& path) {
  ConfigFile file;
  file.path = path.empty() ? find_config_file() : path;
  if (file.path.empty()) return file;
  file.folder = fs::path(file.path).parent_path().string();
  Result<std::string> text = read_config(file.path);
  if (!text) return text.error();
  auto document = read_toml(*text);
  if (const auto* wrong = std::get_if<TomlError>(&document)) {
    return Error{Exit::usage, fmt::format("{}: {}", file.place(wrong->at), wrong->text)};
  }
  file.document = std::move(std::get<TomlDocument>(document));
  return file;
}

std::string from_folder(const ConfigFile& file, const std::string& value) {
  if (value.empty() || file.folder.empty() || fs::path(value).is_absolute()) return value;
  return (fs::path(file.folder) / value).lexically_normal().string();
}

}  // namespace jostle::cli
