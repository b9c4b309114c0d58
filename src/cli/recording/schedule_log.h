// SPDX-License-Identifier: Apache-2.0
// A schedule outside the channel: as large as it is, free to be copied.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/schedule/channel.h"

namespace jostle::cli {

struct ScheduleLog {
  uint64_t seed = 0;
  uint64_t digest = 0;
  std::vector<channel::ThreadRecord> threads = {};
  std::vector<channel::Segment> segments = {};
  std::vector<channel::Choice> choices = {};
  std::vector<channel::Draw> draws = {};                           // the input
  channel::MemoryModel memory = channel::MemoryModel::sequential;  // of the run
};

// Without the input.
ScheduleLog copy_schedule(const channel::Schedule& schedule);
// The log must fit: see channel::kMaxThreads and the like.
void store_schedule(const ScheduleLog& log, channel::Schedule& schedule);
// The schedule and the input, for whoever follows them.
void store_for_target(const ScheduleLog& log, channel::Channel& channel);

// One failing run of a campaign.
struct Finding {
  uint64_t schedule_number = 0;
  uint64_t signature = 0;
  std::string strategy = {};  // that chose the schedule; empty: the campaign's
  channel::Failure end = {};
  ScheduleLog log = {};
  channel::FindingRole role = channel::FindingRole::failure;
  std::string said = {};           // by the program, before it exited: for the reader
  std::string said_identity = {};  // and for its identity
  std::string failed_check = {};   // of a test: what it says instead of an exit status
};

// Reads findings one after the other as the target appends them.
class FindingReader {
 public:
  explicit FindingReader(const channel::Channel& channel) : channel_(channel) {}
  // The next one, if it is complete. Damaged bytes end the reading.
  std::optional<Finding> next();

 private:
  const channel::Channel& channel_;
  uint64_t offset_ = 0;
  uint64_t read_ = 0;
};

}  // namespace jostle::cli
