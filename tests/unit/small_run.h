// SPDX-License-Identifier: Apache-2.0
// A recorded run made by hand, in the order of execution: what explanations and interleavings are
// tested with. There are no modules: places are addresses, and objects are called by theirs.
#pragma once

#include <set>
#include <vector>

#include "src/cli/target/shared_channel.h"
#include "src/report/explain/explain.h"
#include "src/report/words/record_view.h"

namespace jostle::report {

struct SmallOperation {
  uint32_t thread;
  OpKind kind;
  uintptr_t object = 0;
  uint64_t value = 0;
};

inline SmallOperation reads(uint32_t thread, uintptr_t object, uint64_t value) {
  return {thread, OpKind::read, object, value};
}
inline SmallOperation writes(uint32_t thread, uintptr_t object, uint64_t value) {
  return {thread, OpKind::write, object, value};
}

class SmallRun {
 public:
  // A thread that runs again later, or is `unfinished`, is preempted where another one follows.
  explicit SmallRun(const std::vector<SmallOperation>& operations,
                    const std::set<uint32_t>& unfinished = {})
      : channel_(std::move(*cli::create_channel())) {
    channel::RunRecord& run = record();
    run.end.outcome = channel::Outcome::assertion;
    run.end.thread = operations.empty() ? 0 : operations.back().thread;
    run.max_live_threads = 2;
    for (size_t i = 0; i < operations.size(); ++i) {
      const SmallOperation& op = operations[i];
      add_thread(op.thread);
      const bool is_memory_access = is_memory(op.kind);
      const uint64_t event = ++events_[op.thread];
      channel::TraceEvent& announced = run.trace[run.trace_count++];
      announced = {};
      announced.thread = op.thread;
      announced.kind = op.kind;
      announced.visible = 1;
      announced.value_known = is_memory_access;
      announced.size = is_memory_access ? 4 : 0;
      announced.event = event;
      announced.object = op.object;
      announced.pc = 0x1000 + 0x100 * op.thread + event;
      announced.value = op.value;
      if (i + 1 < operations.size() && operations[i + 1].thread == op.thread) continue;
      bool goes_on = unfinished.contains(op.thread);
      for (size_t later = i + 1; later < operations.size(); ++later) {
        goes_on |= operations[later].thread == op.thread;
      }
      const bool preempted = goes_on && i + 1 < operations.size();
      run.schedule.segments[run.schedule.segment_count++] = {
          op.thread, OpKind::none, preempted ? channel::kPreempted : channel::kForced,
          0,         event + 1,    0};
    }
  }

  channel::RunRecord& record() { return channel_->record; }
  const RunTrace& trace() {
    if (!trace_) trace_.emplace(record());
    return *trace_;
  }
  NamedRun named() { return {trace(), symbols_, names_}; }

 private:
  void add_thread(uint32_t thread) {
    channel::Schedule& schedule = record().schedule;
    while (schedule.thread_count <= thread) {
      schedule.threads[schedule.thread_count].ordinal = schedule.thread_count;
      schedule.threads[schedule.thread_count].path = schedule.thread_count + 1;
      ++schedule.thread_count;
    }
  }

  cli::SharedChannel channel_;
  uint64_t events_[8] = {};
  Symbolizer symbols_{modules(*channel_)};
  Names names_{channel_->record, symbols_};
  std::optional<RunTrace> trace_;
};

}  // namespace jostle::report
