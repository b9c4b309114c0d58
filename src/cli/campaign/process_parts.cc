// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/process_parts.h"

#include <fmt/format.h>

#include <filesystem>

#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {

std::vector<std::string> unseen_modules(const channel::Channel& channel) {
  std::vector<std::string> unseen;
  for (const channel::ModuleRecord& module : report::modules(channel)) {
    if (module.instrumented || module.system) continue;
    unseen.push_back(report::escape(report::base_name(report::bounded(module.path))));
  }
  return unseen;
}

std::string library_list(const channel::Channel& channel) {
  std::string text;
  for (const channel::ModuleRecord& module : report::modules(channel)) {
    const std::string_view path = report::bounded(module.path);
    if (!path.starts_with('/')) continue;
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    text += fmt::format("{} {:x}-{:x} {}\n", report::base_name(path), module.begin, module.end,
                        unknown ? 0 : size);
  }
  return text;
}

}  // namespace jostle::cli
