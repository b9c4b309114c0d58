// SPDX-License-Identifier: Apache-2.0
#include "src/cli/folder/worker_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/cli/folder/campaign_folder.h"
#include "src/cli/folder/new_file.h"
#include "src/cli/recording/files.h"
#include "src/cli/recording/recording.h"
#include "src/cli/support/descriptor.h"

namespace jostle::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kInfoName[] = "info.json";
constexpr char kHeartbeatName[] = "heartbeat";
constexpr size_t kLongestJson = 1 << 16;

std::string numbered(uint32_t index) { return fmt::format("w{:06}", index); }

// The first number that no worker of this build has.
uint32_t next_free(const std::string& build) {
  uint32_t next = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(build, error)) {
    const std::string name = entry.path().filename();
    if (!is_worker_name(name)) continue;
    const unsigned long number = std::strtoul(name.c_str() + 1, nullptr, 10);
    next = std::max(next, static_cast<uint32_t>(std::min(number, 999'999UL)) + 1);
  }
  return next;
}

uint64_t json_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

std::string json_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<Json> json_of_file(const std::string& path) {
  const auto text = read_whole_file(path, kLongestJson);
  if (!text) return std::nullopt;
  Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::chrono::seconds age_of(const struct stat& info, int64_t now) {
  return std::chrono::seconds(std::max<int64_t>(0, now - info.st_mtime));
}

}  // namespace

Result<WorkerFolder> WorkerFolder::claim(const std::string& build,
                                         const std::optional<WorkerPlace>& place) {
  std::error_code error;
  fs::create_directories(build, error);
  if (error) return cannot_write(build, error.value());
  uint32_t number = place ? place->index : next_free(build);
  for (uint32_t again = 0;; ++again) {
    std::string name = numbered(number);
    if (place && again != 0) name += fmt::format(".{}", again);
    const std::string path = fmt::format("{}/{}", build, name);
    if (mkdir(path.c_str(), 0777) == 0) return WorkerFolder(path, name);
    if (errno != EEXIST) return cannot_write(path, errno);
    if (!place) number = std::max(number + 1, next_free(build));
  }
}

MaybeError WorkerFolder::write_info(const WorkerInfo& info) const {
  const Json json = {{"format", "jostle-worker"}, {"version", 1},
                     {"host", info.host},         {"process", info.process},
                     {"mark", info.mark},         {"seed", info.seed},
                     {"jobs", info.jobs},         {"started", std::time(nullptr)},
                     {"index", info.index},       {"count", info.count},
                     {"jostle", own_version()}};
  Result<NewFile> written = write_new_file(path_ + "/" + kInfoName, json_line(json), own_mark());
  return written ? std::nullopt : MaybeError(written.error());
}

MaybeError WorkerFolder::beat(const Heartbeat& heartbeat) const {
  const WorkerProgress& progress = heartbeat.progress;
  const Json json = {{"state", heartbeat.state},
                     {"ended", heartbeat.ended},
                     {"elapsed_ms", progress.elapsed_ms},
                     {"schedules", progress.schedules},
                     {"failing_schedules", progress.failing_schedules},
                     {"distinct", progress.distinct},
                     {"classes", progress.classes},
                     {"classified", progress.classified},
                     {"exchanging_ms", progress.exchanging_ms},
                     {"pairs", heartbeat.pairs},
                     {"corpus", heartbeat.corpus},
                     {"failures", heartbeat.failures},
                     {"news_ms", heartbeat.news_ms},
                     {"note", heartbeat.note}};
  Result<AtomicFile> file = AtomicFile::open(path_ + "/" + kHeartbeatName);
  if (!file) return file.error();
  return file->commit(json_line(json));
}

MaybeError WorkerFolder::write(Segment segment) {
  segment.sequence = written_ + 1;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  segment.written_ms =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  Result<NewFile> written = write_new_file(path_ + "/" + segment_file_name(segment.sequence),
                                           encode(segment), own_mark());
  if (!written) return written.error();
  ++written_;
  return std::nullopt;
}

std::string segment_file_name(uint64_t sequence) { return fmt::format("{:010}.seg", sequence); }

std::optional<WorkerInfo> read_info(const std::string& folder) {
  const auto json = json_of_file(folder + "/" + kInfoName);
  if (!json) return std::nullopt;
  WorkerInfo info;
  info.name = fs::path(folder).filename();
  info.host = json_text(*json, "host");
  info.process = static_cast<int64_t>(json_number(*json, "process"));
  info.mark = json_text(*json, "mark");
  info.seed = json_number(*json, "seed");
  info.jobs = static_cast<uint32_t>(json_number(*json, "jobs"));
  info.index = static_cast<uint32_t>(json_number(*json, "index"));
  info.count = static_cast<uint32_t>(json_number(*json, "count"));
  return info;
}

std::optional<SeenHeartbeat> read_heartbeat(const std::string& folder, int64_t now) {
  const std::string path = folder + "/" + kHeartbeatName;
  struct stat info;
  const auto json = json_of_file(path);
  if (!json || ::stat(path.c_str(), &info) != 0) return std::nullopt;
  SeenHeartbeat seen;
  Heartbeat& heartbeat = seen.heartbeat;
  heartbeat.state = json_text(*json, "state");
  const auto ended = json->find("ended");
  heartbeat.ended = ended != json->end() && ended->is_boolean() && ended->get<bool>();
  heartbeat.progress = {json_number(*json, "elapsed_ms"),        json_number(*json, "schedules"),
                        json_number(*json, "failing_schedules"), json_number(*json, "distinct"),
                        json_number(*json, "classes"),           json_number(*json, "classified"),
                        json_number(*json, "exchanging_ms")};
  heartbeat.pairs = json_number(*json, "pairs");
  heartbeat.corpus = json_number(*json, "corpus");
  heartbeat.failures = json_number(*json, "failures");
  heartbeat.news_ms = json_number(*json, "news_ms");
  heartbeat.note = json_text(*json, "note");
  seen.age = age_of(info, now);
  return seen;
}

std::chrono::seconds since_last_file(const std::string& folder, int64_t now) {
  struct stat info;
  if (::stat(folder.c_str(), &info) != 0) return {};
  return age_of(info, now);
}

int64_t file_server_now(const std::string& folder) {
  const std::string path = fmt::format("{}/.now-{}", folder, own_mark());
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  struct stat info;
  if (!file.valid()) return std::time(nullptr);
  const bool known = fstat(file.get(), &info) == 0;
  unlink(path.c_str());
  return known ? info.st_mtime : std::time(nullptr);
}

}  // namespace jostle::cli
