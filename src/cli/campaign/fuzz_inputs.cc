// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/fuzz_inputs.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/base/hash.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/recording/files.h"
#include "src/cli/target/launch.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;

Result<std::string> read_input(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    return Error{Exit::usage, fmt::format("--input: cannot read {}", path.string())};
  }
  return bytes;
}

// Smallest first: what a large input covers beside a small one then counts for the small one.
Result<std::vector<fs::path>> files_of(const std::string& corpus) {
  std::error_code error;
  if (fs::is_regular_file(corpus, error)) return std::vector<fs::path>{corpus};
  if (!fs::exists(corpus, error)) {
    return Error{Exit::usage, fmt::format("--input: no folder {}: check the path, or make it (an "
                                          "empty one will do)",
                                          corpus)};
  }
  if (!fs::is_directory(corpus, error)) {
    return Error{Exit::usage, fmt::format("--input {}: neither a folder nor a file", corpus)};
  }
  std::vector<std::pair<uintmax_t, fs::path>> sized;
  for (const auto& entry : fs::recursive_directory_iterator(corpus, error)) {
    if (entry.is_regular_file(error)) sized.emplace_back(entry.file_size(error), entry.path());
  }
  std::sort(sized.begin(), sized.end());
  std::vector<fs::path> files;
  files.reserve(sized.size());
  for (auto& [size, path] : sized) files.push_back(std::move(path));
  return files;
}

bool add(InputPool& pool, const std::string& bytes, InputOrigin origin) {
  const auto size = static_cast<uint32_t>(std::min<size_t>(bytes.size(), InputPool::kLongest));
  return pool.add(reinterpret_cast<const uint8_t*>(bytes.data()), size, origin) != InputPool::kNone;
}

std::string input_file(const std::string& folder, uint64_t hash) {
  return fmt::format("{}/{:016x}", folder, hash);
}

}  // namespace

Result<FuzzInputs> FuzzInputs::open(const std::string& corpus) {
  Result<std::vector<fs::path>> files = files_of(corpus);
  if (!files) return files.error();
  Result<Shared<InputPool>> pool = Shared<InputPool>::create("jostle-inputs");
  if (!pool) return pool.error();
  size_t given = 0;
  for (const fs::path& path : *files) {
    Result<std::string> bytes = read_input(path);
    if (!bytes) return bytes.error();
    if (!add(**pool, *bytes, InputOrigin::given)) break;
    ++given;
  }
  if (given == 0) add(**pool, "", InputOrigin::given);
  std::error_code ignored;
  const bool is_folder = fs::is_directory(corpus, ignored);
  return FuzzInputs(std::move(*pool), is_folder ? corpus : "", given);
}

void FuzzInputs::announce() const { announce_descriptor(kInputsVariable, pool_.descriptor()); }

std::string FuzzInputs::bytes_of(const InputPool::Entry& entry) const {
  if (entry.offset + entry.size > InputPool::kMostBytes) return {};
  return {reinterpret_cast<const char*>(pool_->data(entry)), entry.size};
}

std::string FuzzInputs::failing(uint64_t schedule) const {
  for (uint32_t i = 0; i < pool_->count(); ++i) {
    const InputPool::Entry& entry = pool_->entries[i];
    if (!entry.ready.load(std::memory_order_acquire)) continue;
    if (entry.origin == InputOrigin::failing && entry.schedule == schedule) return bytes_of(entry);
  }
  return {};
}

Result<size_t> FuzzInputs::save_found() {
  if (folder_.empty()) return saved_;
  done_.resize(pool_->count());
  for (uint32_t i = 0; i < done_.size(); ++i) {
    const InputPool::Entry& entry = pool_->entries[i];
    if (done_[i] || !entry.ready.load(std::memory_order_acquire)) continue;
    done_[i] = true;
    if (entry.origin != InputOrigin::found) continue;
    if (MaybeError error = write(bytes_of(entry))) return *error;
    ++saved_;
  }
  return saved_;
}

// Under a name that says what is in it: who finds the same writes the same.
MaybeError FuzzInputs::write(const std::string& bytes) {
  const uint64_t hash = fnv1a(bytes.data(), bytes.size());
  const std::string path = input_file(folder_, hash);
  if (!is_shared_) {
    Result<AtomicFile> file = AtomicFile::open(path);
    return file ? file->commit(bytes) : MaybeError(file.error());
  }
  Result<NewFile> written = write_new_file(path, bytes, own_mark());
  if (!written) return written.error();
  if (shared_.insert(hash).second) news_.push_back({hash, static_cast<uint32_t>(bytes.size())});
  return std::nullopt;
}

MaybeError FuzzInputs::share(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return cannot_write(folder, error.value());
  folder_ = folder;
  is_shared_ = true;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    const uint64_t hash = std::strtoull(name.c_str(), nullptr, 16);
    if (entry.path().string() != input_file(folder, hash)) continue;
    given_ += add_shared(entry.path().string(), hash);
  }
  return std::nullopt;
}

bool FuzzInputs::add_shared(const std::string& path, uint64_t hash) {
  if (shared_.contains(hash)) return true;
  const auto bytes = read_whole_file(path, InputPool::kLongest);
  if (!bytes || fnv1a(bytes->data(), bytes->size()) != hash) return false;
  shared_.insert(hash);
  add(*pool_, *bytes, InputOrigin::given);
  return true;
}

void FuzzInputs::add_from_others(std::vector<InputNews> inputs) {
  constexpr size_t kMostToArrive = 1 << 14;
  if (inputs.empty()) return;
  inputs.insert(inputs.end(), to_arrive_.begin(), to_arrive_.end());
  to_arrive_.clear();
  for (const InputNews& input : inputs) {
    if (!add_shared(input_file(folder_, input.hash), input.hash) &&
        to_arrive_.size() < kMostToArrive) {
      to_arrive_.push_back(input);
    }
  }
}

std::vector<std::string> with_input_path(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument == "@@") argument = "/dev/stdin";
  }
  return arguments;
}

Result<StandardInput> input_of_bytes(const std::string& bytes) {
  RecordedInput recorded;
  recorded.kind = RecordedInput::Kind::bytes;
  recorded.bytes = bytes;
  Result<Descriptor> file = open_recorded(recorded);
  if (!file) return file.error();
  StandardInput input;
  input.file = std::move(*file);
  input.is_file = true;
  return input;
}

}  // namespace jostle::cli
