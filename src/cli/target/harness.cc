// SPDX-License-Identifier: Apache-2.0
#include "src/cli/target/harness.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "src/cli/target/target.h"

namespace jostle::cli {
namespace {

// libFuzzer's own handlers would end the process in their own way, and its memory watch is a
// thread.
constexpr const char* kLibFuzzerOptions[] = {"-rss_limit_mb=0", "-handle_abrt=0", "-handle_segv=0",
                                             "-handle_bus=0",   "-handle_ill=0",  "-handle_fpe=0",
                                             "-handle_int=0",   "-handle_term=0", "-handle_xfsz=0",
                                             "-handle_usr1=0",  "-handle_usr2=0"};

bool file_contains(const std::string& path, std::string_view text) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.view().find(text) != std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> harness_words(const std::string& harness,
                                               const std::string& artifact) {
  Result<Target> target = examine_target(harness);
  if (!target) return target.error();
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(artifact, ignored)) {
    return Error{Exit::usage, fmt::format("{}: no such file", artifact)};
  }
  std::vector<std::string> words = {"--", harness};
  if (file_contains(target->path, "handle_abrt")) {
    words.insert(words.end(), std::begin(kLibFuzzerOptions), std::end(kLibFuzzerOptions));
  }
  words.push_back(artifact);
  return words;
}

int harness_result(int run_code, const std::string& artifact) {
  constexpr int kSignalled = 128;
  if (run_code >= kSignalled || run_code == static_cast<int>(Exit::found)) {
    return static_cast<int>(Exit::found);
  }
  if (run_code != 0) return run_code;
  return fail({Exit::not_reproduced, fmt::format("{}: the harness does not fail", artifact)});
}

}  // namespace jostle::cli
