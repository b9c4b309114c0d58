// SPDX-License-Identifier: Apache-2.0
// The folder of one worker: who it is, how it is, and the segments that it has written. Others only
// read it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "src/cli/folder/segment.h"
#include "src/cli/folder/worker_place.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

// What a worker says of itself, in its heartbeat.
struct Heartbeat {
  std::string state = "running";  // or why it ended: as `stopped` in stats.json
  bool ended = false;
  WorkerProgress progress = {};
  uint64_t pairs = 0;     // that it knows, also of others
  uint64_t corpus = 0;    // schedules that it goes on from
  uint64_t failures = 0;  // different ones that it has seen
  uint64_t news_ms = 0;   // when it last found something that it did not know; since its start
  std::string note = {};  // what is wrong: a full disk
};

// How a worker is seen by others.
struct WorkerInfo {
  std::string name;  // w000017.1
  std::string host;
  int64_t process = 0;
  std::string mark;  // process_mark.h
  uint64_t seed = 0;
  uint32_t jobs = 1;
  uint32_t index = 0, count = 0;  // its place; 0 of 0: not known
};

class WorkerFolder {
 public:
  // Makes a folder that nobody had before: for worker 17 w000017, or w000017.1 if that is taken;
  // the next number without a place.
  static Result<WorkerFolder> claim(const std::string& build,
                                    const std::optional<WorkerPlace>& place);

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }

  MaybeError write_info(const WorkerInfo& info) const;
  MaybeError beat(const Heartbeat& heartbeat) const;
  // Gives it the next number.
  MaybeError write(Segment segment);

 private:
  WorkerFolder(std::string path, std::string name)
      : path_(std::move(path)), name_(std::move(name)) {}

  std::string path_, name_;
  uint64_t written_ = 0;
};

std::string segment_file_name(uint64_t sequence);

// What others read there.
std::optional<WorkerInfo> read_info(const std::string& folder);
struct SeenHeartbeat {
  Heartbeat heartbeat;
  std::chrono::seconds age{};  // by the clock of whoever stores the files
};
// `now`: by the same clock, see file_server_now.
std::optional<SeenHeartbeat> read_heartbeat(const std::string& folder, int64_t now);
// For how long nothing new is in it: of a worker whose heartbeat cannot be read.
std::chrono::seconds since_last_file(const std::string& folder, int64_t now);

// The time, in seconds, by the clock of the file system that holds `folder`: that of a file which
// is made there for a moment; ours, if none can be.
int64_t file_server_now(const std::string& folder);

inline constexpr std::chrono::seconds kHeartbeatEvery{10};
// Who was silent for so long is dead: some beats, and what caches of file systems may add.
inline constexpr std::chrono::seconds kDeadAfter{60};

}  // namespace jostle::cli
