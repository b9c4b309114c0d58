// SPDX-License-Identifier: Apache-2.0
#include "src/cli/regression/by_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/report/model/names/names.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::cli {
namespace {

using channel::kUntilItWaits;

std::string start_of(const Recording& recording, uint32_t thread) {
  return thread < recording.starts.size() ? recording.starts[thread] : "";
}

// Which thread of the run each one of the recording is; kNoThread: none.
std::vector<uint32_t> threads_of_run(const Recording& recording, const channel::RunRecord& record,
                                     report::Names& names) {
  const auto table = report::threads(record.schedule);
  std::map<std::string, std::vector<uint32_t>> by_start;
  std::map<std::string, uint32_t> by_path;
  for (uint32_t i = 0; i < table.size(); ++i) {
    by_path.emplace(report::spawn_path(table, i), i);
    if (const std::string& start = names.start(i); !start.empty()) by_start[start].push_back(i);
  }
  std::map<std::string, size_t> used;
  std::vector<uint32_t> threads;
  for (uint32_t i = 0; i < recording.log.threads.size(); ++i) {
    const std::string start = start_of(recording, i);
    const auto same_start = by_start.find(start);
    const size_t ordinal = used[start]++;
    if (!start.empty() && same_start != by_start.end() && ordinal < same_start->second.size()) {
      threads.push_back(same_start->second[ordinal]);
      continue;
    }
    const auto same_path = by_path.find(report::spawn_path(recording.log.threads, i));
    threads.push_back(same_path == by_path.end() ? kNoThread : same_path->second);
  }
  return threads;
}

std::string missing_thread(const Recording& recording, uint32_t thread) {
  const std::string start = start_of(recording, thread);
  return start.empty() ? "a thread of it is not started any more"
                       : fmt::format("no thread runs {} any more", report::escape(start));
}

}  // namespace

ScheduleLog by_numbers(const Recording& recording) {
  ScheduleLog log = recording.log;
  for (channel::Segment& segment : log.segments) {
    if (!is_preemption(segment)) segment.until = kUntilItWaits;
  }
  return log;
}

bool same_segments(const ScheduleLog& a, const ScheduleLog& b) {
  return std::ranges::equal(a.segments, b.segments, [](const auto& one, const auto& other) {
    return one.thread == other.thread && one.until == other.until;
  });
}

ByNames by_names(const Recording& recording, const Execution& run) {
  const channel::RunRecord& record = run.record();
  report::Symbolizer symbols(report::modules(*run.channel));
  report::Names names(record, symbols);
  const report::SwitchPlaces places(record, symbols);
  const std::vector<uint32_t> threads = threads_of_run(recording, record, names);
  ByNames result{by_numbers(recording)};
  result.log.threads = copy_schedule(record.schedule).threads;
  std::set<std::string> missing;
  std::map<uint32_t, uint64_t> reached;  // events of the threads
  std::vector<channel::Segment> segments;
  for (size_t i = 0; i < recording.log.segments.size(); ++i) {
    channel::Segment segment = result.log.segments[i];
    const uint32_t recorded_thread = segment.thread;
    segment.thread = recorded_thread < threads.size() ? threads[recorded_thread] : kNoThread;
    if (segment.thread == kNoThread) {
      missing.insert(missing_thread(recording, recorded_thread));
      continue;
    }
    if (is_preemption(segment) && i < recording.switches.size() && recording.switches[i].known()) {
      const report::SwitchName& name = recording.switches[i];
      uint64_t& after = reached[segment.thread];
      const auto event =
          places.find(segment.thread, segment.stopped_at, name, segment.until, after);
      if (event) {
        segment.until = after = *event;
      } else {
        missing.insert(fmt::format("{} does not come to {} any more", names.label(segment.thread),
                                   report::escape(name.function)));
      }
    }
    segments.push_back(segment);
  }
  result.log.segments = std::move(segments);
  result.missing.assign(missing.begin(), missing.end());
  return result;
}

}  // namespace jostle::cli
