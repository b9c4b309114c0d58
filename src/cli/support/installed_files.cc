// SPDX-License-Identifier: Apache-2.0
#include "src/cli/support/installed_files.h"

#include <system_error>

namespace jostle::cli {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

std::optional<fs::path> find_library_dir(const fs::path& command) {
  const fs::path prefix = command.parent_path().parent_path();
  for (const fs::path& dir : {prefix / "lib", prefix / "lib64", prefix / "lib" / kTriplet}) {
    // Without the stand-in, gcc would link its own libtsan and nobody would notice.
    if (is_there(dir / "libjostle.so") && is_there(dir / "jostle" / "tsan" / "libtsan.so")) {
      return dir;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> find_include_dir(const fs::path& library_dir) {
  const fs::path dir = library_dir / "jostle" / "include";
  return is_there(dir / "jostle" / "jostle.h") ? std::optional(dir) : std::nullopt;
}

}  // namespace jostle::cli
