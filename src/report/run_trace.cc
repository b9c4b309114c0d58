#include "src/report/run_trace.h"

#include <algorithm>
#include <array>

#include "src/report/record_view.h"

namespace jostle::report {
namespace {

using channel::Outcome;
using channel::TraceEvent;

// Longer runs are not taken apart: it would take minutes, and nobody reads that far.
constexpr size_t kLongest = 2'000'000;
constexpr uint32_t kMostBytes = 4096;  // of one access that are looked at

// The last operation of the run was published but not executed.
bool ends_waiting(Outcome outcome) {
  return outcome == Outcome::deadlock || outcome == Outcome::livelock ||
         outcome == Outcome::step_limit;
}

}  // namespace

bool step_changes(const Step& step) { return may_change(step.event->kind); }
bool step_observes(const Step& step) { return observes(step.event->kind); }

RunTrace::RunTrace(const channel::RunRecord& record) : record_(record) {
  if (record.trace_truncated != 0 || trace(record).size() > kLongest) return;
  order();
  connect();
}

void RunTrace::order() {
  const auto all = trace(record_);
  std::vector<std::vector<const TraceEvent*>> published(threads(record_.schedule).size());
  for (const TraceEvent& event : all) {
    if (event.thread < published.size()) published[event.thread].push_back(&event);
  }
  threads_.resize(published.size());
  std::vector<size_t> next(published.size());
  const auto list = segments(record_.schedule);
  for (uint32_t i = 0; i < list.size(); ++i) {
    const channel::Segment& segment = list[i];
    if (segment.thread >= published.size()) continue;
    const bool executes_last = i + 1 == list.size() && !ends_waiting(record_.end.outcome);
    const uint64_t end = executes_last ? UINT64_MAX : segment.until;
    const auto& mine = published[segment.thread];
    size_t& at = next[segment.thread];
    for (; at < mine.size() && mine[at]->event < end; ++at) {
      auto& own = threads_[segment.thread];
      own.push_back(static_cast<uint32_t>(steps_.size()));
      steps_.push_back({mine[at], i, static_cast<uint32_t>(own.size() - 1), kInitially});
    }
  }
}

void RunTrace::connect() {
  std::unordered_map<uintptr_t, std::array<uint32_t, 8>> writers;
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const TraceEvent& event = *step.event;
    if (event.object == 0) continue;
    const bool changes = step_changes(step), sees = step_observes(step);
    const uint32_t size = std::clamp<uint32_t>(event.size, 1, kMostBytes);
    uint32_t latest = kInitially;
    for (uintptr_t at = event.object; at < event.object + size; ++at) {
      Use& use = uses_[at >> 3];
      use.several |= use.first_thread != UINT32_MAX && use.first_thread != event.thread;
      if (use.first_thread == UINT32_MAX) use.first_thread = event.thread;
      use.changed |= changes;
      if (!changes && !sees) continue;
      auto [entry, added] = writers.try_emplace(at >> 3);
      if (added) entry->second.fill(kInitially);
      uint32_t& writer = entry->second[at & 7];
      if (writer != kInitially && (latest == kInitially || writer > latest)) latest = writer;
      if (changes) writer = i;
    }
    if (sees) step.source = latest;
  }
}

std::span<const uint32_t> RunTrace::of_thread(uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread];
}

uint64_t RunTrace::path(uint32_t thread) const {
  const auto table = threads(record_.schedule);
  return thread < table.size() ? table[thread].path : 0;
}

bool RunTrace::is_contended(const Step& step) const {
  if (step.event->object == 0) return false;
  const auto use = uses_.find(step.event->object >> 3);
  return use != uses_.end() && use->second.several && use->second.changed;
}

}  // namespace jostle::report
