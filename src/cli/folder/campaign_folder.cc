// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/campaign_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/cli/folder/new_file.h"
#include "src/cli/recording/encoding.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/values.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kCampaignFileName[] = "campaign.json";
constexpr char kStopFileName[] = "stop";
constexpr char kCampaignFormat[] = "jostle-campaign-folder";
constexpr int kCampaignVersion = 1;
constexpr size_t kLongestDescription = 1 << 20;

std::string description_text(const CampaignDescription& description) {
  Json arguments = Json::array();
  for (const std::string& word : description.arguments) arguments.push_back(encode_bytes(word));
  Json settings = Json::object();
  for (const auto& [name, value] : description.settings) settings[name] = encode_bytes(value);
  const Json json = {{"format", kCampaignFormat},
                     {"version", kCampaignVersion},
                     {"jostle", own_version()},
                     {"program", encode_bytes(description.program)},
                     {"path", encode_bytes(description.path)},
                     {"arguments", arguments},
                     {"settings", settings},
                     {"seed", description.seed}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool read_bytes(const Json& json, const std::string& key, std::string& to) {
  const auto found = json.find(key);
  const auto text = found == json.end() ? std::nullopt : decode_bytes(*found);
  if (text) to = *text;
  return text.has_value();
}

bool read_description(const Json& json, CampaignDescription& to) {
  if (!json.is_object() || !read_bytes(json, "program", to.program) ||
      !read_bytes(json, "path", to.path)) {
    return false;
  }
  const Json arguments = json.value("arguments", Json());
  const Json settings = json.value("settings", Json());
  const Json seed = json.value("seed", Json());
  if (!arguments.is_array() || !settings.is_object() || !seed.is_number_unsigned()) return false;
  for (const Json& word : arguments) {
    const auto text = decode_bytes(word);
    if (!text) return false;
    to.arguments.push_back(*text);
  }
  for (const auto& [name, value] : settings.items()) {
    if (!read_bytes(settings, name, to.settings.emplace_back(name, "").second)) return false;
  }
  to.seed = seed.get<uint64_t>();
  return true;
}

std::string command_of(const CampaignDescription& description) {
  std::string text = shell_quote(description.program);
  for (const std::string& word : description.arguments) text += " " + shell_quote(word);
  return report::escape(text);
}

std::string value_of(const CampaignDescription& description, const std::string& name) {
  for (const auto& [key, value] : description.settings) {
    if (key == name) return value.empty() ? "(nothing)" : report::escape(value);
  }
  return "(nothing)";
}

// What tells this campaign from that one; empty: nothing.
std::string difference(const CampaignDescription& there, const CampaignDescription& own) {
  if (there.program != own.program || there.arguments != own.arguments) {
    return fmt::format("it is of {}, not of {}", command_of(there), command_of(own));
  }
  for (const auto* side : {&own, &there}) {
    for (const auto& [name, value] : side->settings) {
      const std::string before = value_of(there, name), now = value_of(own, name);
      if (before != now) return fmt::format("it was begun with {} {}, not {}", name, before, now);
    }
  }
  return {};
}

}  // namespace

bool CampaignFolder::is_one(const std::string& path) {
  struct stat info;
  return ::stat((path + "/" + kCampaignFileName).c_str(), &info) == 0;
}

Result<CampaignFolder> CampaignFolder::read(const std::string& path) {
  const std::string file = path + "/" + kCampaignFileName;
  const auto text = read_whole_file(file, kLongestDescription);
  if (!text) {
    return Error{Exit::replay_unreadable,
                 fmt::format("no campaign in {}: jostle fuzz --campaign {} -- PROGRAM begins one",
                             report::escape(path), shell_quote(path))};
  }
  const Json json = Json::parse(*text, nullptr, false);
  const Json format = json.is_object() ? json.value("format", Json()) : Json();
  const Json version = json.is_object() ? json.value("version", Json()) : Json();
  if (format == kCampaignFormat && version.is_number_integer() &&
      version.get<int64_t>() > kCampaignVersion) {
    return Error{Exit::replay_newer,
                 fmt::format("{} was written by a newer jostle: use that one, or another folder",
                             report::escape(file))};
  }
  CampaignDescription description;
  if (format != kCampaignFormat || version != kCampaignVersion ||
      !read_description(json, description)) {
    return Error{Exit::replay_invalid,
                 fmt::format("{} is no description of a campaign: use another folder",
                             report::escape(file))};
  }
  return CampaignFolder(path, std::move(description));
}

Result<CampaignFolder> CampaignFolder::join(const std::string& given,
                                            const CampaignDescription& own, bool seed_given) {
  // Workers change into no other folder, but the paths in reports should not say "./".
  fs::path normal = fs::path(given).lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  const std::string path = normal.string();
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return cannot_write(path, error.value());
  if (!is_one(path)) {
    Result<NewFile> written =
        write_new_file(path + "/" + kCampaignFileName, description_text(own), own_mark());
    if (!written) return written.error();
  }
  Result<CampaignFolder> folder = read(path);
  if (!folder) return folder;
  const CampaignDescription& there = folder->description();
  if (const std::string what = difference(there, own); !what.empty()) {
    return Error{Exit::usage, fmt::format("another campaign is in {}: {} (use another folder)",
                                          report::escape(path), what)};
  }
  if (seed_given && there.seed != own.seed) {
    return Error{Exit::usage,
                 fmt::format("the campaign in {} has seed {}: leave --seed out, or use another "
                             "folder",
                             report::escape(path), there.seed)};
  }
  return folder;
}

Result<CampaignFolder> CampaignFolder::open(const std::string& given) {
  fs::path normal = fs::path(given).lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  return read(normal.string());
}

std::vector<std::string> CampaignFolder::builds() const {
  std::vector<std::pair<fs::file_time_type, std::string>> dated;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    std::error_code ignored;
    const std::string name = entry.path().filename();
    if (!entry.is_directory(ignored) || name == "inputs" || name.starts_with('.')) continue;
    dated.emplace_back(entry.last_write_time(ignored), name);
  }
  std::sort(dated.begin(), dated.end());
  std::vector<std::string> names;
  names.reserve(dated.size());
  for (auto& [time, name] : dated) names.push_back(std::move(name));
  return names;
}

Result<std::string> CampaignFolder::last_build(bool tells) const {
  const std::vector<std::string> all = builds();
  if (all.empty()) {
    return Error{Exit::replay_unreadable,
                 fmt::format("no worker has joined the campaign in {} yet", report::escape(path_))};
  }
  if (all.size() > 1 && tells) {
    note(fmt::format("{} builds of the program have been searched: this is the last", all.size()));
  }
  return all.back();
}

bool CampaignFolder::is_stopped() const {
  struct stat info;
  return ::stat((path_ + "/" + kStopFileName).c_str(), &info) == 0;
}

MaybeError CampaignFolder::stop() const {
  Result<NewFile> written =
      write_new_file(path_ + "/" + kStopFileName, "workers end when they see this\n", own_mark());
  return written ? std::nullopt : MaybeError(written.error());
}

Result<bool> CampaignFolder::undo_stop() const {
  const std::string file = path_ + "/" + kStopFileName;
  if (unlink(file.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return cannot_write(file, errno);
}

bool is_worker_name(std::string_view name) {
  if (!name.starts_with('w') || name.size() < 7) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  size_t at = 1;
  while (at < name.size() && is_digit(name[at])) ++at;
  if (at == name.size()) return true;
  return name[at] == '.' && at + 1 < name.size() &&
         std::all_of(name.begin() + static_cast<ptrdiff_t>(at) + 1, name.end(), is_digit);
}

}  // namespace jostle::cli
