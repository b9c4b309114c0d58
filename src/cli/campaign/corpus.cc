// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "src/cli/folder/segment.h"
#include "src/cli/recording/files.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "jostle-corpus";
constexpr int kVersion = 1;
constexpr uintmax_t kLongestFile = 1 << 20;

std::string hex(uint64_t number) { return fmt::format("{:016x}", number); }

bool read_hex(const Json& json, const char* key, uint64_t& number) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) return false;
  const std::string& text = found->get_ref<const std::string&>();
  const auto end = text.data() + text.size();
  return std::from_chars(text.data(), end, number, 16) == std::from_chars_result{end, {}};
}

std::string place(report::Symbolizer& symbols, uint64_t site) {
  const uintptr_t pc = symbols.address_of(site);
  return pc == 0 ? symbols.where(site) : report::source(symbols.line_that_matters(pc));
}

// "the read of b at reorder.cc:14 does not observe the write at reorder.cc:9"
std::string sentence(const Constraint& constraint, const CorpusEntry::Places& places,
                     report::Symbolizer& symbols) {
  std::string text = "the read";
  if (const std::string name = symbols.global(places.object); !name.empty()) text += " of " + name;
  if (places.read_site != 0) text += " at " + place(symbols, places.read_site);
  text += constraint.negative ? " does not observe " : " observes ";
  if (constraint.write == initial_write(constraint.location)) return text + "the initial value";
  text += "the write";
  if (places.write_site != 0) text += " at " + place(symbols, places.write_site);
  return text;
}

std::string file_of(const std::string& folder, const AbstractSchedule& schedule) {
  return fmt::format("{}/{}.json", folder, hex(schedule_hash(schedule)));
}

std::string read_corpus_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string build_of(const Target& target) {
  return target.build_id.empty() ? content_hash(target.path) : target.build_id;
}

std::string corpus_text(const CorpusEntry& entry, const std::string& build,
                        report::Symbolizer& symbols) {
  Json constraints = Json::array();
  for (uint32_t i = 0; i < entry.schedule.count; ++i) {
    const Constraint& c = entry.schedule.constraints[i];
    constraints.push_back({{"says", sentence(c, entry.places[i], symbols)},
                           {"negative", c.negative},
                           {"location", hex(c.location)},
                           {"write", hex(c.write)},
                           {"read", hex(c.read)}});
  }
  const Json json = {
      {"format", kFormat}, {"version", kVersion}, {"build", build}, {"constraints", constraints}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

CorpusFile parse_corpus(const std::string& text, const std::string& build,
                        AbstractSchedule& schedule) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("format", Json()) != kFormat ||
      json.value("version", Json()) != kVersion) {
    return CorpusFile::damaged;
  }
  if (json.value("build", Json()) != build) return CorpusFile::other_build;
  const Json constraints = json.value("constraints", Json());
  if (!constraints.is_array() || constraints.empty() || constraints.size() > kMostConstraints) {
    return CorpusFile::damaged;
  }
  schedule = {};
  for (const Json& each : constraints) {
    Constraint& c = schedule.constraints[schedule.count++];
    if (!each.is_object() || !read_hex(each, "location", c.location) ||
        !read_hex(each, "write", c.write) || !read_hex(each, "read", c.read) ||
        !each.contains("negative") || !each["negative"].is_boolean()) {
      return CorpusFile::damaged;
    }
    c.negative = each["negative"].get<bool>();
  }
  return CorpusFile::good;
}

CorpusLoad load_corpus(const std::string& folder, const Target& target, Hub& hub) {
  CorpusLoad result;
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  // The simplest first, in the same order whatever the file system gives.
  std::sort(files.begin(), files.end());
  std::stable_sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    std::error_code error;
    return fs::file_size(a, error) < fs::file_size(b, error);
  });
  const std::string build = build_of(target);
  std::set<uint64_t> known;  // somebody may have copied a file
  for (const fs::path& path : files) {
    AbstractSchedule schedule;
    const uintmax_t size = fs::file_size(path, none);
    const CorpusFile state = none || size > kLongestFile
                                 ? CorpusFile::damaged
                                 : parse_corpus(read_corpus_file(path), build, schedule);
    result.damaged += state == CorpusFile::damaged;
    result.other_build += state == CorpusFile::other_build;
    if (state != CorpusFile::good || !known.insert(schedule_hash(schedule)).second) continue;
    CorpusEntry* entry = hub.new_entry();
    if (entry == nullptr) break;
    entry->worker = kFromDisk;
    entry->schedule = schedule;
    entry->ready.store(1, std::memory_order_release);
    result.files.push_back(path);
  }
  return result;
}

std::string describe(const CorpusLoad& load) {
  if (load.files.size() + load.damaged + load.other_build == 0) return {};
  std::string text = fmt::format("corpus: {}", report::count(load.files.size(), "schedule"));
  if (load.damaged != 0)
    text += fmt::format(", left out {}", report::count(load.damaged, "damaged file"));
  if (load.other_build != 0) {
    text += fmt::format(", left out {} of another build", report::count(load.other_build, "file"));
  }
  return text;
}

MaybeError CorpusWriter::save(const Hub& hub, const channel::Channel& channel) {
  std::optional<report::Symbolizer> symbols;  // reads debug information: only if it is needed
  done_.resize(hub.corpus_size());
  for (uint32_t i = 0; i < hub.corpus_size(); ++i) {
    const CorpusEntry& entry = hub.corpus[i];
    if (done_[i] || entry.ready.load(std::memory_order_acquire) == 0) continue;
    done_[i] = true;
    if (entry.worker == kFromDisk) continue;
    if (!symbols) {
      std::error_code error;
      fs::create_directories(folder_, error);
      if (build_.empty()) build_ = build_of(target_);
      symbols.emplace(report::modules(channel));
    }
    std::error_code error;
    const std::string path = file_of(folder_, entry.schedule);
    if (fs::exists(path, error)) continue;
    Result<AtomicFile> file = AtomicFile::open(path);
    MaybeError failed = file ? file->commit(corpus_text(entry, build_, *symbols)) : file.error();
    if (failed) {
      done_[i] = false;
      fs::remove(folder_, error);  // if nothing is in it
      return failed;
    }
  }
  return std::nullopt;
}

size_t remove_useless(const CorpusLoad& load, const Hub& hub) {
  size_t removed = 0;
  for (size_t i = 0; i < load.files.size(); ++i) {
    std::error_code error;
    if (hub.corpus[i].useful.load() == 0) removed += fs::remove(load.files[i], error);
  }
  return removed;
}

}  // namespace jostle::cli
