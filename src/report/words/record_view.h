// SPDX-License-Identifier: Apache-2.0
// The arrays of a channel as spans that cannot be too long.
//
// The channel is written by the target while it crashes, so its counts are not to be trusted: what
// is read through these views stays inside the memory that is there.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/words/text.h"
#include "src/schedule/channel.h"

namespace jostle::report {

inline std::span<const channel::ThreadRecord> threads(const channel::Schedule& schedule) {
  return {schedule.threads, std::min(schedule.thread_count, channel::kMaxThreads)};
}
inline std::span<const channel::Segment> segments(const channel::Schedule& schedule) {
  return {schedule.segments, std::min(schedule.segment_count, channel::kMaxSegments)};
}
inline std::span<const channel::Choice> choices(const channel::Schedule& schedule) {
  return {schedule.choices, std::min(schedule.choice_count, channel::kMaxChoices)};
}
inline std::span<const channel::ThreadReport> reports(const channel::RunRecord& record) {
  return {record.reports, std::min(record.report_count, channel::kMaxThreadReports)};
}
inline std::span<const channel::HeldLock> held(const channel::ThreadReport& thread) {
  return {thread.held, std::min<size_t>(thread.held_count, channel::kMaxHeldLocks)};
}
inline std::span<const channel::ObjectRecord> objects(const channel::RunRecord& record) {
  return {record.objects, std::min(record.object_count, channel::kMaxObjectRecords)};
}
inline std::span<const channel::LeakRecord> leaks(const channel::RunRecord& record) {
  return {record.leaks, std::min(record.leak_count, channel::kMaxLeaks)};
}
inline std::span<const channel::FamilyWait> family_waits(const channel::RunRecord& record) {
  return {record.family_waits, std::min(record.family_wait_count, channel::kMaxFamilyWaits)};
}
inline std::span<const channel::TraceEvent> trace(const channel::RunRecord& record) {
  return {record.trace, std::min<uint64_t>(record.trace_count, channel::kMaxTraceEvents)};
}
inline std::span<const channel::ModuleRecord> modules(const channel::Channel& channel) {
  return {channel.modules, std::min(channel.status.module_count.load(), channel::kMaxModules)};
}

// What the run's input was, a value each: "a = 10".
inline std::vector<std::string> shown_values(const channel::RunRecord& record) {
  std::vector<std::string> values;
  std::string_view text = bounded(record.shown);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    values.push_back(escape(std::string(text.substr(0, end))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

inline std::string_view op_name(OpKind kind) {
  return static_cast<int>(kind) < kOpKinds ? name(kind) : "?";
}

}  // namespace jostle::report
