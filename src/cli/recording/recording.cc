// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recording/recording.h"

#include <fmt/format.h>

#include <filesystem>

#include "src/base/hash.h"

namespace jostle::cli {

RecordedProgram record_program(const Target& target, const std::vector<std::string>& arguments) {
  std::error_code ignored;
  RecordedProgram program{target.given,    target.absolute,
                          arguments,       std::filesystem::current_path(ignored),
                          target.build_id, "",
                          target.size};
  if (program.build_id.empty()) program.hash = content_hash(target.path);
  return program;
}

bool is_same_program(const RecordedProgram& recorded, const Target& target) {
  // A build id survives `strip`, which changes no code; without one all bytes count.
  if (!recorded.build_id.empty()) return recorded.build_id == target.build_id;
  return recorded.size == target.size && recorded.hash == content_hash(target.path);
}

std::string hash_of_bytes(const std::string& bytes) {
  return fmt::format("{:016x}", fnv1a(bytes.data(), bytes.size()));
}

std::string own_version() { return JOSTLE_VERSION; }

}  // namespace jostle::cli
