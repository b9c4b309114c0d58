// SPDX-License-Identifier: Apache-2.0
#include "src/cli/recording/schedule_log.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

template <typename T>
const unsigned char* read_array(const unsigned char* at, uint32_t count, std::vector<T>& into) {
  into.resize(count);
  if (count != 0) std::memcpy(into.data(), at, count * sizeof(T));
  return at + count * sizeof(T);
}

}  // namespace

ScheduleLog copy_schedule(const channel::Schedule& schedule) {
  const auto threads = report::threads(schedule);
  const auto segments = report::segments(schedule);
  const auto choices = report::choices(schedule);
  return {schedule.seed,
          schedule.digest,
          {threads.begin(), threads.end()},
          {segments.begin(), segments.end()},
          {choices.begin(), choices.end()},
          {},
          schedule.memory};
}

void store_schedule(const ScheduleLog& log, channel::Schedule& schedule) {
  JOSTLE_CHECK_LE(log.threads.size(), channel::kMaxThreads);
  JOSTLE_CHECK_LE(log.segments.size(), channel::kMaxSegments);
  JOSTLE_CHECK_LE(log.choices.size(), channel::kMaxChoices);
  schedule.seed = log.seed;
  schedule.digest = log.digest;
  schedule.memory = log.memory;
  schedule.thread_count = static_cast<uint32_t>(log.threads.size());
  schedule.segment_count = static_cast<uint32_t>(log.segments.size());
  schedule.choice_count = static_cast<uint32_t>(log.choices.size());
  std::copy(log.threads.begin(), log.threads.end(), schedule.threads);
  std::copy(log.segments.begin(), log.segments.end(), schedule.segments);
  std::copy(log.choices.begin(), log.choices.end(), schedule.choices);
}

void store_for_target(const ScheduleLog& log, channel::Channel& channel) {
  store_schedule(log, channel.input);
  channel.draws.count = static_cast<uint32_t>(log.draws.size());
  std::copy(log.draws.begin(), log.draws.end(), channel.draws.list);
}

std::optional<Finding> FindingReader::next() {
  if (read_ >= channel_.status.findings.load(std::memory_order_acquire)) return std::nullopt;
  const uint64_t left = channel::kFindingBytes - offset_;
  channel::FindingHeader header;
  if (left < sizeof header) return std::nullopt;
  const unsigned char* at = channel_.finding_bytes + offset_;
  std::memcpy(&header, at, sizeof header);
  const uint64_t needed = sizeof header +
                          uint64_t{header.thread_count} * sizeof(channel::ThreadRecord) +
                          uint64_t{header.segment_count} * sizeof(channel::Segment) +
                          uint64_t{header.choice_count} * sizeof(channel::Choice) +
                          uint64_t{header.draw_count} * sizeof(channel::Draw);
  const bool fits = header.thread_count <= channel::kMaxThreads &&
                    header.segment_count <= channel::kMaxSegments &&
                    header.choice_count <= channel::kMaxChoices &&
                    header.draw_count <= channel::kMaxDraws && needed <= header.bytes;
  if (!fits || header.bytes > left || header.bytes % 16 != 0) return std::nullopt;
  Finding finding{header.schedule_number,
                  header.signature,
                  std::string(report::bounded(header.strategy)),
                  header.end,
                  {},
                  header.role};
  finding.log.seed = header.seed;
  finding.log.digest = header.digest;
  finding.log.memory = header.memory == channel::MemoryModel::c11
                           ? channel::MemoryModel::c11
                           : channel::MemoryModel::sequential;
  at = read_array(at + sizeof header, header.thread_count, finding.log.threads);
  at = read_array(at, header.segment_count, finding.log.segments);
  at = read_array(at, header.choice_count, finding.log.choices);
  read_array(at, header.draw_count, finding.log.draws);
  offset_ += header.bytes;
  ++read_;
  return finding;
}

}  // namespace jostle::cli
