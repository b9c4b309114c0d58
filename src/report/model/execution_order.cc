// SPDX-License-Identifier: Apache-2.0
#include "src/report/model/execution_order.h"

#include <algorithm>
#include <span>

#include "src/base/check.h"
#include "src/report/words/record_view.h"
#include "src/schedule/starvation.h"

namespace jostle::report {
namespace {

// The entries of each thread, in its own order, and how far it has got.
class Threads {
 public:
  explicit Threads(std::span<const channel::TraceEvent> trace) : trace_(trace) {
    for (const channel::TraceEvent& event : trace) {
      if (event.thread >= channel::kMaxThreads) continue;  // damaged
      if (event.thread >= ends_.size()) ends_.resize(event.thread + 1);
      ++ends_[event.thread];
    }
    size_t sum = 0;
    for (size_t& end : ends_) end = sum += end;
    next_.resize(ends_.size());
    for (size_t t = 1; t < ends_.size(); ++t) next_[t] = ends_[t - 1];
    entries_.resize(sum);
    std::vector<size_t> fill = next_;
    for (uint32_t i = 0; i < trace.size(); ++i) {
      if (trace[i].thread < ends_.size()) entries_[fill[trace[i].thread]++] = i;
    }
    announced_ = entries_;
    for (size_t t = 0; t < ends_.size(); ++t) sort_by_event(next_[t], ends_[t]);
    first_announced_ = next_;
    executed_.resize(trace.size());
  }

  size_t count() const { return ends_.size(); }
  bool has_next(uint32_t thread) const {
    return thread < ends_.size() && next_[thread] < ends_[thread];
  }
  bool is_last(uint32_t thread) const { return next_[thread] + 1 == ends_[thread]; }
  uint32_t next(uint32_t thread) const { return entries_[next_[thread]]; }
  uint64_t next_event(uint32_t thread) const { return trace_[next(thread)].event; }
  void advance(uint32_t thread) {
    executed_[next(thread)] = true;
    ++next_[thread];
  }
  // What the thread is about to do when it has come to the event `until`. An operation that a
  // handler delays after that has another number by then: it was announced before the handler's.
  uint32_t pending_at(uint32_t thread, uint64_t until) {
    if (!has_next(thread)) return UINT32_MAX;
    if (next_event(thread) == until) return next(thread);
    size_t& at = first_announced_[thread];
    while (executed_[announced_[at]]) ++at;
    return announced_[at];
  }

 private:
  // Nearly always they are in this order.
  void sort_by_event(size_t begin, size_t end) {
    const auto first = entries_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = entries_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto event = [this](uint32_t entry) { return trace_[entry].event; };
    if (!std::ranges::is_sorted(first, last, {}, event)) {
      std::ranges::stable_sort(first, last, {}, event);
    }
  }

  std::span<const channel::TraceEvent> trace_;
  std::vector<uint32_t> entries_;        // as they were executed
  std::vector<uint32_t> announced_;      // the same as they were announced
  std::vector<size_t> next_, ends_;      // into entries_
  std::vector<size_t> first_announced_;  // into announced_: those before were executed
  std::vector<bool> executed_;           // by entry
};

class Follower {
 public:
  explicit Follower(const channel::RunRecord& record)
      : record_(record), threads_(trace(record)), stopped_(threads_.count()) {
    order_.events.reserve(trace(record).size());
  }

  ExecutionOrder follow() {
    const auto all = segments(record_.schedule);
    for (uint32_t i = 0; i < all.size(); ++i) run(all[i], i, i + 1 == all.size());
    run_rest();
    for (uint32_t t = 0; t < threads_.count(); ++t) {
      if (threads_.has_next(t)) order_.pending.push_back(threads_.next(t));
    }
    return std::move(order_);
  }

 private:
  enum class Stopped : uint8_t { no, preempted, blocked };

  void run(const channel::Segment& segment, uint32_t in_log, bool is_last) {
    const uint32_t thread = segment.thread;
    if (thread >= threads_.count()) return;
    const bool ended = segment.forced != 0 && (segment.stopped_at == OpKind::thread_exit ||
                                               segment.stopped_at == OpKind::process_exit);
    // The run ended in the last one: there is nothing it was about to do, unless it waits.
    const bool open_end = is_last && !is_blocked(thread);
    const size_t before = order_.events.size();
    while (threads_.has_next(thread) &&
           (threads_.next_event(thread) < segment.until ||
            ((ended || open_end) && threads_.next_event(thread) == segment.until))) {
      execute(thread);
    }
    if (order_.events.size() > before) {
      const uint32_t at = threads_.pending_at(thread, segment.until);
      order_.segments.push_back({thread, segment.forced != 0, ended, at, in_log});
    }
    stopped_[thread] = segment.forced != 0 ? Stopped::blocked : Stopped::preempted;
  }

  void execute(uint32_t thread) {
    ExecutedEvent event;
    JOSTLE_CHECK(threads_.has_next(thread));
    event.entry = threads_.next(thread);
    event.segment = static_cast<uint32_t>(order_.segments.size());
    event.resumed = stopped_[thread] != Stopped::no;
    event.preempted = stopped_[thread] == Stopped::preempted;
    stopped_[thread] = Stopped::no;
    order_.events.push_back(event);
    threads_.advance(thread);
  }

  // Without a complete log (it was too long, or the process was killed) the order of the trace has
  // to do. The last event of a thread may not have been executed any more.
  void run_rest() {
    uint32_t current = UINT32_MAX;
    for (const channel::TraceEvent& event : trace(record_)) {
      const uint32_t thread = event.thread;
      if (!threads_.has_next(thread) || threads_.next_event(thread) != event.event) continue;
      const bool runs_on = thread == record_.end.thread && !is_blocked(thread);
      if (threads_.is_last(thread) && !runs_on) continue;
      if (current != thread)
        order_.segments.push_back({thread, false, false, UINT32_MAX, UINT32_MAX});
      current = thread;
      execute(thread);
      --order_.events.back().segment;
    }
  }

  bool is_blocked(uint32_t thread) const {
    if (record_.end.outcome != channel::Outcome::deadlock && !channel::is_starvation(record_.end)) {
      return false;
    }
    const auto all = reports(record_);
    return std::any_of(all.begin(), all.end(), [&](const channel::ThreadReport& report) {
      return report.thread == thread && report.state == channel::ThreadState::blocked;
    });
  }

  const channel::RunRecord& record_;
  Threads threads_;
  std::vector<Stopped> stopped_;
  ExecutionOrder order_;
};

}  // namespace

ExecutionOrder execution_order(const channel::RunRecord& record) {
  return Follower(record).follow();
}

}  // namespace jostle::report
