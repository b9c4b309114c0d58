// SPDX-License-Identifier: Apache-2.0
#include "src/cli/campaign/interrupted_search.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/base/hash.h"
#include "src/cli/campaign/corpus.h"
#include "src/cli/recording/files.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSearchFormat[] = "jostle-search";
constexpr int kSearchVersion = 1;

std::string hash_text(std::string_view bytes) {
  return fmt::format("{:016x}", fnv1a(bytes.data(), bytes.size()));
}

// What executions there are, and which of them fail.
std::string settings_of(const FuzzOptions& options) {
  const channel::Config& config = options.config;
  std::string text = fmt::format(
      "{} points {}{} spurious {} checks {} fail-on {} volatile {} memory {} faults {} events {} "
      "steps {} time-outs {}",
      report::bounded(config.strategy), static_cast<int>(options.points.points),
      options.point_options.typed(), static_cast<int>(config.spurious), config.checks,
      config.fail_on, config.volatile_atomic, static_cast<int>(config.memory), config.io_faults,
      config.plain_events, config.max_steps, config.any_time_outs);
  text += options.ignore_exit ? " any exit" : " exits";
  for (const uint64_t codes : config.exit_codes_ok) text += fmt::format(" {:x}", codes);
  return text;
}

}  // namespace

InterruptedSearch::InterruptedSearch(const std::string& folder, const FuzzOptions& options,
                                     const Target& target)
    : path_(folder + "/" + kInterruptedSearchName),
      name_(target.name),
      settings_(settings_of(options)),
      target_(target) {
  for (size_t i = 1; i < options.program.size(); ++i) {
    arguments_ += " " + shell_quote(options.program[i]);
  }
}

MaybeError InterruptedSearch::load(Hub& hub) {
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    return Error{Exit::replay_unreadable,
                 fmt::format("--resume: no search of {} was interrupted ({} is not there): without "
                             "it one begins",
                             name_, report::escape(path_))};
  }
  std::string first;
  std::getline(file, first);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const Json json = Json::parse(first, nullptr, false);
  const Error damaged{Exit::replay_invalid,
                      fmt::format("--resume: {} is damaged: without it the search begins anew",
                                  report::escape(path_))};
  if (!json.is_object() || json.value("format", Json()) != kSearchFormat) return damaged;
  const Json version = json.value("version", Json());
  if (version.is_number_integer() && version.get<int64_t>() > kSearchVersion) {
    return Error{Exit::replay_newer,
                 fmt::format("--resume: {} was written by a newer jostle: without it the search "
                             "begins anew",
                             report::escape(path_))};
  }
  if (version != kSearchVersion || json.value("size", Json()) != bytes.size() ||
      json.value("hash", Json()) != hash_text(bytes) || bytes.empty() ||
      bytes.size() > SavedSearch::kMost || !json.value("seconds", Json()).is_number()) {
    return damaged;
  }
  if (json.value("build", Json()) != build_of(target_)) {
    return Error{Exit::program_changed,
                 fmt::format("--resume: {} has been rebuilt since the search was interrupted: "
                             "without it the search begins anew",
                             name_)};
  }
  if (json.value("arguments", Json()) != arguments_) {
    return Error{Exit::usage, fmt::format("--resume: the search that was interrupted was of {}{}",
                                          name_, report::escape(json.value("arguments", "")))};
  }
  if (json.value("settings", Json()) != settings_) {
    return Error{Exit::usage,
                 "--resume: the search that was interrupted had other options: give it the same, "
                 "or begin anew without it"};
  }
  seconds_before_ = json["seconds"].get<double>();
  std::memcpy(hub.search_before.bytes, bytes.data(), bytes.size());
  hub.search_before.size = bytes.size();
  return std::nullopt;
}

MaybeError InterruptedSearch::save(const Hub& hub, double seconds, uint64_t executions) {
  const uint64_t size = hub.search_left.size;
  if (size == 0 || size > SavedSearch::kMost) return std::nullopt;
  const std::string_view bytes(reinterpret_cast<const char*>(hub.search_left.bytes), size);
  const Json json = {{"format", kSearchFormat},    {"version", kSearchVersion},
                     {"build", build_of(target_)}, {"arguments", arguments_},
                     {"settings", settings_},      {"executions", executions},
                     {"seconds", seconds},         {"size", size},
                     {"hash", hash_text(bytes)}};
  Result<AtomicFile> file = AtomicFile::open(path_);
  if (!file) return file.error();
  return file->commit(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" +
                      std::string(bytes));
}

void InterruptedSearch::remove() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace jostle::cli
