// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/units/unit_files.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <tuple>

#include "src/base/hash.h"
#include "src/cli/folder/campaign_folder.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/recording/files.h"
#include "src/cli/support/descriptor.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostListBytes = 1 << 20;
constexpr std::string_view kEndings[] = {"lease", "part", "done"};

std::optional<UnitFile> parsed(const std::string& name) {
  const size_t first = name.find('.'), last = name.rfind('.');
  if (!name.starts_with('u') || first == std::string::npos || last <= first) return std::nullopt;
  UnitFile file;
  const char* end = name.data() + first;
  if (std::from_chars(name.data() + 1, end, file.unit) != std::from_chars_result{end, {}}) {
    return std::nullopt;
  }
  file.worker = name.substr(first + 1, last - first - 1);
  if (!is_worker_name(file.worker)) return std::nullopt;
  const auto* ending = std::ranges::find(kEndings, std::string_view(name).substr(last + 1));
  if (ending == std::end(kEndings)) return std::nullopt;
  file.kind = static_cast<UnitFile::Kind>(ending - kEndings);
  return file;
}

uint64_t unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

MaybeError make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? MaybeError(cannot_write(folder, error.value())) : std::nullopt;
}

// Of all files <hash>.<worker>, each text once, in order.
std::vector<std::string> read_each(const std::string& folder, std::vector<std::string>& damaged,
                                   std::string UnitRecord::*which) {
  std::vector<std::string> texts;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const size_t dot = name.find('.');
    if (dot == std::string::npos || !is_worker_name(name.substr(dot + 1))) continue;
    if (auto record = read_unit(entry.path().string())) {
      texts.push_back(std::move((*record).*which));
    } else {
      damaged.push_back(entry.path().string());
    }
  }
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace

std::string file_name(const UnitFile& file) {
  return fmt::format("u{:04}.{}.{}", file.unit, file.worker,
                     kEndings[static_cast<size_t>(file.kind)]);
}

std::vector<UnitFile> list_round(const std::string& folder) {
  std::vector<UnitFile> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (auto file = parsed(entry.path().filename())) files.push_back(std::move(*file));
  }
  std::ranges::sort(files, {}, [](const UnitFile& file) {
    return std::tuple(file.unit, std::string_view(file.worker), file.kind);
  });
  return files;
}

std::string search_folder(const std::string& build) { return build + "/verify"; }

std::string knowledge_folder(const std::string& build, uint64_t knowledge) {
  return fmt::format("{}/k{:016x}", search_folder(build), knowledge);
}

std::string learned_folder(const std::string& build, uint64_t knowledge) {
  return knowledge_folder(build, knowledge) + "/learned";
}

std::string doubts_folder(const std::string& build, uint64_t knowledge) {
  return knowledge_folder(build, knowledge) + "/doubts";
}

MaybeError same_libraries(const std::string& build, const std::string& own) {
  if (MaybeError error = make_folder(search_folder(build))) return error;
  const std::string path = search_folder(build) + "/libraries";
  Result<NewFile> written = write_new_file(path, own, own_mark());
  if (!written) return written.error();
  const std::string there = read_whole_file(path, kMostListBytes).value_or("");
  if (there == own) return std::nullopt;
  const auto [mine, other] = std::ranges::mismatch(own, there);
  const size_t line = own.rfind('\n', static_cast<size_t>(mine - own.begin()));
  const size_t first = line == std::string::npos ? 0 : line + 1;
  return Error{
      Exit::usage,
      fmt::format("this machine has other libraries, or has them elsewhere in memory, than "
                  "the first worker's ({} says so; here: {}): use the same system for all "
                  "workers, or another folder",
                  report::escape(path),
                  report::escape(own.substr(first, own.find('\n', first) - first)))};
}

std::string round_folder(const std::string& build, uint64_t knowledge, uint32_t round) {
  return fmt::format("{}/r{:06}", knowledge_folder(build, knowledge), round);
}

std::vector<std::string> read_learned(const std::string& folder,
                                      std::vector<std::string>& damaged) {
  return read_each(folder, damaged, &UnitRecord::answer);
}

std::vector<std::string> read_notes(const std::string& folder, std::vector<std::string>& damaged) {
  return read_each(folder, damaged, &UnitRecord::notes);
}

uint64_t hash_of(const std::vector<std::string>& learned) {
  uint64_t hash = 0;
  for (const std::string& each : learned) hash = combine(hash, fnv1a(each.data(), each.size()));
  return hash;
}

std::optional<UnitRecord> read_unit(const std::string& path) {
  const auto bytes = read_whole_file(path, kMostSegmentBytes + (size_t{64} << 20));
  Segment segment;
  if (!bytes || decode(*bytes, segment) != SegmentState::good || segment.unit.identity == 0) {
    return std::nullopt;
  }
  return std::move(segment.unit);
}

MaybeError write_unit(const std::string& folder, const std::string& name,
                      const UnitRecord& record) {
  if (MaybeError error = make_folder(folder)) return error;
  Segment segment;
  segment.sequence = 1;
  segment.written_ms = unix_ms();
  segment.unit = record;
  Result<NewFile> written = write_new_file(folder + "/" + name, encode(segment), own_mark());
  return written ? std::nullopt : MaybeError(written.error());
}

MaybeError write_lease(const std::string& folder, const std::string& name) {
  if (MaybeError error = make_folder(folder)) return error;
  const std::string path = folder + "/" + name;
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  return file.valid() ? std::nullopt : MaybeError(cannot_write(path, errno));
}

}  // namespace jostle::cli
