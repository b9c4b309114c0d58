// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/distilled.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "src/cli/folder/new_file.h"
#include "src/cli/folder/worker_folder.h"
#include "src/cli/recording/files.h"

namespace jostle::cli {
namespace {

std::vector<uint64_t> numbers_in(const std::string& folder) {
  std::vector<uint64_t> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const uint64_t number = std::strtoull(name.c_str(), nullptr, 10);
    if (name == segment_file_name(number)) numbers.push_back(number);
  }
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

}  // namespace

std::optional<Segment> newest_distilled(const std::string& folder) {
  for (const uint64_t number : numbers_in(folder)) {
    const auto bytes = read_whole_file(folder + "/" + segment_file_name(number), kMostSegmentBytes);
    Segment segment;
    if (bytes && decode(*bytes, segment) == SegmentState::good) return segment;
  }
  return std::nullopt;
}

Result<std::string> write_distilled(const std::string& folder, Segment segment) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return cannot_write(folder, error.value());
  const std::vector<uint64_t> numbers = numbers_in(folder);
  for (segment.sequence = numbers.empty() ? 1 : numbers.front() + 1;; ++segment.sequence) {
    const std::string path = folder + "/" + segment_file_name(segment.sequence);
    Result<NewFile> written = write_new_file(path, encode(segment), own_mark());
    if (!written) return written.error();
    if (*written == NewFile::written) return path;
  }
}

}  // namespace jostle::cli
