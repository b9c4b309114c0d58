// SPDX-License-Identifier: Apache-2.0
#include "src/cli/findings/finding_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "src/cli/recording/replay_file.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

// A replay file says what it is in its first member.
bool begins_as_replay_file(const fs::path& path) {
  constexpr size_t kBeginning = 200;
  std::string text(kBeginning, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' &&
         text.find(fmt::format("\"{}\"", kReplayFormat)) != text.npos;
}

// `minimize` keeps what small.json was before as small-original.json.
bool is_original(const fs::path& path) {
  constexpr std::string_view kOriginal = "-original";
  std::string stem = path.stem().string();
  if (!stem.ends_with(kOriginal)) return false;
  stem.resize(stem.size() - kOriginal.size());
  std::error_code ignored;
  return fs::exists(path.parent_path() / (stem + path.extension().string()), ignored);
}

bool is_finding_file(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == kReplayFileName) return true;
  if (path.extension() != ".json" || name == kOriginalFileName || name == kPassingFileName) {
    return false;
  }
  return !is_original(path) && begins_as_replay_file(path);
}

bool is_left_out(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code ignored;
  return name.starts_with('.') ||
         (entry.is_directory(ignored) && (name == "corpus" || name == "unconfirmed"));
}

}  // namespace

Result<std::vector<std::string>> find_finding_files(const std::string& folder) {
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, fs::directory_options::skip_permission_denied,
                                           error);
  std::vector<std::string> files;
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    std::error_code ignored;
    if (is_left_out(*entries)) {
      entries.disable_recursion_pending();
    } else if (entries->is_regular_file(ignored) && is_finding_file(entries->path())) {
      files.push_back(entries->path().lexically_normal().string());
    }
  }
  if (error) {
    return Error{Exit::replay_unreadable,
                 fmt::format("cannot read the folder {}: {}", folder, error.message())};
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace jostle::cli
