// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/step_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using channel::ThreadReport;
using channel::ThreadState;

struct Row {
  bool current, ready;
  std::string thread, state, what, where, function;
};

std::string seconds(int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1'000'000'000, nanoseconds / 1'000'000 % 1000);
}

// Objects of these are no memory of the program's that a reader would know.
bool has_named_object(OpKind kind) {
  switch (kind) {
    case OpKind::yield:
    case OpKind::sleep:
    case OpKind::clock:
    case OpKind::io_read:
    case OpKind::io_write:
    case OpKind::io_wait:
    case OpKind::signal_wait:
    case OpKind::process_wait:
    case OpKind::thread_cancel:
    case OpKind::thread_signal:
      return false;
    default:
      return true;
  }
}

Frame place_of(const ThreadReport& thread, const channel::RunRecord& record, Symbolizer& symbols) {
  Frame frame = symbols.line_that_matters(thread.stack);
  if (!frame.where.empty()) return frame;
  if (thread.pending.pc != 0) return symbols.line_that_matters(thread.pending.pc);
  // It has not begun: where it will.
  const auto table = threads(record.schedule);
  const uintptr_t start = thread.thread < table.size() ? table[thread.thread].start_routine : 0;
  if (start == 0) return frame;
  frame = symbols.frames(start, PcKind::exact).back();
  return frame.plumbing ? Frame{} : frame;
}

std::string_view state_text(const ThreadReport& thread) {
  if (thread.state == ThreadState::blocked) return "blocked";
  return thread.spins != 0 ? "aside" : "ready";
}

// On a narrow terminal a thread's operation comes first, then the place; the function's name is
// what can be missed.
std::string render(std::vector<Row>& rows, bool colour, size_t columns) {
  const size_t widest_where = columns < kColumns ? columns / 4 : 24;
  const size_t widest_function = columns < kColumns ? (columns < 80 ? 0 : 16) : columns / 4 + 3;
  size_t thread = 0, what = 0, where = 0, function = 0;
  for (Row& row : rows) {
    row.where = shorten(row.where, widest_where);
    row.function = widest_function == 0 ? "" : shorten(row.function, widest_function);
    thread = std::max(thread, width(row.thread));
    what = std::max(what, width(row.what));
    where = std::max(where, width(row.where));
    function = std::max(function, width(row.function));
  }
  constexpr size_t kRest = 4 + 3 + 7 + 3 + 3 + 2;  // marks, gaps, the state
  constexpr size_t kShortestOperation = 8;
  const size_t others = kRest + thread + where + function;
  what =
      std::min(what, columns > others + kShortestOperation ? columns - others : kShortestOperation);
  std::string text;
  for (const Row& row : rows) {
    std::string line = fmt::format(
        "  {} {}   {:<7}   {}   {}  {}", row.current ? '*' : ' ', pad(row.thread, thread),
        row.state, pad(shorten(row.what, what), what), pad(row.where, where), row.function);
    line.erase(line.find_last_not_of(' ') + 1);
    text += colour ? fmt::format("\x1b[{}m{}\x1b[0m\n", row.ready ? 1 : 2, line) : line + '\n';
  }
  return text;
}

}  // namespace

bool can_be_chosen(const channel::RunRecord& record, const ThreadReport& thread) {
  if (thread.state != ThreadState::runnable) return false;
  if (thread.spins == 0) return true;
  const auto all = reports(record);
  return std::none_of(all.begin(), all.end(), [](const ThreadReport& other) {
    return other.state == ThreadState::runnable && other.spins == 0;
  });
}

std::string pending_text(const ThreadReport& thread, Names& names, const ReadMemory& read_memory) {
  const Operation& op = thread.pending;
  if (op.kind == OpKind::none) return "runs";
  if (op.kind == OpKind::thread_begin) return "begin";
  if (op.kind == OpKind::thread_join) {
    return fmt::format("join {}", names.label(thread.waits_for_thread));
  }
  std::string text(op_name(op.kind));
  if (op.object != 0 && has_named_object(op.kind)) text += " " + names.object(op.object);
  const bool has_value = op.size == 1 || op.size == 2 || op.size == 4 || op.size == 8;
  if (is_memory(op.kind) && has_value) {
    const auto there = read_memory(op.object, op.size);
    const std::string value = there ? names.value(op.object, *there, op.size) : "";
    if (!value.empty()) text += fmt::format(" (now {})", value);
  }
  if (thread.waits_for_thread != kNoThread) {
    text += fmt::format(", held by {}", names.label(thread.waits_for_thread));
  }
  if (thread.state == ThreadState::blocked && thread.deadline != INT64_MAX) {
    text += fmt::format(" until {}", seconds(thread.deadline));
  }
  return text;
}

std::string step_view(const channel::Channel& channel, Symbolizer& symbols,
                      const ReadMemory& read_memory, const StepViewOptions& options) {
  const channel::RunRecord& record = channel.record;
  const channel::StepExchange& step = channel.step;
  Names names(record, symbols);
  std::vector<const ThreadReport*> live;
  for (const ThreadReport& thread : reports(record)) {
    if (thread.state != ThreadState::finished) live.push_back(&thread);
  }
  std::sort(live.begin(), live.end(),
            [](const ThreadReport* a, const ThreadReport* b) { return a->thread < b->thread; });
  std::vector<Row> rows;
  for (const ThreadReport* thread : live) {
    if (rows.size() == options.longest) break;
    const Frame frame = place_of(*thread, record, symbols);
    rows.push_back({thread->thread == step.current, can_be_chosen(record, *thread),
                    names.label(thread->thread), std::string(state_text(*thread)),
                    pending_text(*thread, names, read_memory),
                    frame.where.empty() ? "" : source(frame), readable_function(frame.function)});
  }
  std::string text = fmt::format("step {} · {} · clock {}\n", thousands(step.step),
                                 count(live.size(), "thread"), seconds(step.clock));
  text += render(rows, options.colour, options.columns);
  if (rows.size() < live.size()) {
    text += fmt::format("    … and {} more\n", count(live.size() - rows.size(), "thread"));
  }
  return text;
}

}  // namespace jostle::report
