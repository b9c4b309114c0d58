// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/run_trace.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/report/model/data_flow.h"
#include "src/report/model/execution_order.h"
#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

using channel::TraceEvent;

// Longer runs are not taken apart: it would take minutes, and nobody reads that far.
constexpr size_t kLongest = 2'000'000;

}  // namespace

OpKind operation_kind(const TraceEvent& event) {
  return is_failed_exchange(event) ? OpKind::atomic_rmw : event.kind;
}

bool same_place(const TraceEvent& a, const TraceEvent& b) {
  if (!is_memory(a.kind) || !is_memory(b.kind)) return a.object == b.object;
  const uintptr_t end_a = a.object + std::max<uint32_t>(a.size, 1);
  const uintptr_t end_b = b.object + std::max<uint32_t>(b.size, 1);
  return a.object < end_b && b.object < end_a;
}

bool conflict(const Step& a, const Step& b) {
  return (step_changes(a) || step_changes(b)) && same_place(*a.event, *b.event);
}

bool step_changes(const Step& step) {
  return may_change(step.event->kind) && !is_in_vain(*step.event);
}
bool step_observes(const Step& step) { return observes(step.event->kind); }

RunTrace::RunTrace(const channel::RunRecord& record) : record_(record) {
  if (record.trace_truncated != 0 || trace(record).size() > kLongest) return;
  const ExecutionOrder order = execution_order(record);
  const DataFlow flow = data_flow(record, order);
  holds_ = lock_holds(record, order);
  JOSTLE_CHECK_LE(order.events.size(), trace(record).size());
  JOSTLE_CHECK_EQ(flow.reads_from.size(), order.events.size());
  threads_.resize(threads(record.schedule).size());
  for (uint32_t i = 0; i < order.events.size(); ++i) {
    const ExecutedEvent& executed = order.events[i];
    const TraceEvent& event = record.trace[executed.entry];
    const uint32_t segment = order.segments[executed.segment].in_log;
    if (event.thread >= threads_.size()) threads_.resize(event.thread + 1);
    JOSTLE_CHECK(flow.reads_from[i] == kInitially || flow.reads_from[i] < i);
    auto& own = threads_[event.thread];
    own.push_back(i);
    steps_.push_back({&event, segment, static_cast<uint32_t>(own.size() - 1), flow.reads_from[i],
                      flow.shared[executed.entry]});
  }
}

std::span<const uint32_t> RunTrace::of_thread(uint32_t thread) const {
  if (thread >= threads_.size()) return {};
  return threads_[thread];
}

uint32_t RunTrace::before_locks(uint32_t step) const {
  uint32_t first = step;
  for (const LockHold& hold : holds_) {
    const bool covers =
        hold.thread == steps_[step].event->thread && hold.acquired < step && hold.released > step;
    if (covers) first = std::min(first, hold.acquired);
  }
  return first;
}

uint64_t RunTrace::path(uint32_t thread) const {
  const auto table = threads(record_.schedule);
  return thread < table.size() ? table[thread].path : 0;
}

bool RunTrace::has_ended(uint64_t path) const {
  return std::ranges::any_of(segments(record_.schedule), [&](const channel::Segment& segment) {
    return segment.stopped_at == OpKind::thread_exit && this->path(segment.thread) == path;
  });
}

}  // namespace jostle::report
