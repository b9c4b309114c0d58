#include "src/report/threads_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/report/record_view.h"
#include "src/report/text.h"
#include "src/report/waiting_text.h"

namespace jostle::report {
namespace {

using channel::ThreadReport;
using channel::ThreadState;

struct ThreadRow {
  std::string thread;  // with the mark of the cycle; empty for the rows below the first
  std::string what;
  std::string where;
  std::string who;
};

// A holder that has ended will never release the lock: who it was, and where it took it.
ThreadRow ended_holder(const ThreadReport& holder, uintptr_t object, Symbolizer& symbols,
                       Names& names) {
  ThreadRow row;
  row.what = fmt::format("held by {}, which has ended", shorten(names.title(holder.thread), 24));
  for (const channel::HeldLock& lock : held(holder)) {
    if (lock.object == object) row.where = source(symbols.line_that_matters(lock.acquired_at));
  }
  return row;
}

const ThreadReport* find_ended(std::span<const ThreadReport> all, uint32_t thread) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const ThreadReport& report) {
    return report.thread == thread && report.state == ThreadState::finished;
  });
  return found == all.end() ? nullptr : &*found;
}

void add_rows(const ThreadReport& thread, std::span<const ThreadReport> all, Symbolizer& symbols,
              Names& names, std::vector<ThreadRow>& rows) {
  ThreadRow row;
  row.thread = (thread.in_cycle != 0 ? "* " : "  ") + shorten(names.title(thread.thread), 24);
  row.what = waiting_text(thread, names);
  Frame frame = symbols.line_that_matters(thread.stack);
  if (frame.where.empty() && thread.pending.pc != 0) {
    frame = symbols.line_that_matters(thread.pending.pc);
  }
  row.where = source(frame);
  const bool joins = thread.pending.kind == OpKind::thread_join;
  const bool has_holder = !joins && thread.waits_for_thread != kNoThread;
  const ThreadReport* ended = has_holder ? find_ended(all, thread.waits_for_thread) : nullptr;
  if (has_holder && !ended) row.who = "held by " + names.label(thread.waits_for_thread);
  rows.push_back(std::move(row));
  if (ended) rows.push_back(ended_holder(*ended, thread.pending.object, symbols, names));
  for (const channel::HeldLock& lock : held(thread)) {
    const std::string times = lock.count > 1 ? fmt::format(" ({} times)", lock.count) : "";
    rows.push_back({"", fmt::format("holds {}{}", with_noun(lock.kind, names, lock.object), times),
                    source(symbols.line_that_matters(lock.acquired_at)), ""});
  }
  if (thread.held_count > channel::kMaxHeldLocks) {
    rows.push_back(
        {"", fmt::format("holds {} more", thread.held_count - channel::kMaxHeldLocks), "", ""});
  }
}

std::string render(const std::vector<ThreadRow>& rows) {
  size_t thread = 0, what = 0, where = 0, who = 0;
  for (const ThreadRow& row : rows) {
    thread = std::max(thread, width(row.thread));
    what = std::max(what, width(row.what));
    where = std::max(where, width(row.where));
    who = std::max(who, width(row.who));
  }
  where = std::min<size_t>(where, 28);
  // Names give way first: the rest is what the reader compares.
  constexpr size_t kGaps = 2 + 3 * 3;
  what = std::min(what, kColumns - kGaps - who - thread - where);
  std::string text;
  for (const ThreadRow& row : rows) {
    std::string line = fmt::format("  {}   {}   {}   {}", pad(row.thread, thread),
                                   pad(shorten(row.what, what), what),
                                   pad(shorten(row.where, where), where), row.who);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string cycle_line(std::span<const ThreadReport> all, Names& names) {
  const auto in_cycle = [&](uint32_t thread) {
    return std::find_if(all.begin(), all.end(), [&](const ThreadReport& report) {
      return report.thread == thread && report.in_cycle != 0;
    });
  };
  const auto first = std::find_if(all.begin(), all.end(),
                                  [](const ThreadReport& report) { return report.in_cycle != 0; });
  if (first == all.end()) return {};
  std::string text = "  cycle: " + names.label(first->thread);
  uint32_t at = first->waits_for_thread;
  for (size_t steps = 0; steps < all.size() && width(text) < kColumns - 20; ++steps) {
    const auto next = in_cycle(at);
    if (next == all.end()) return {};  // not a simple one; the marks have to do
    text += " → " + names.label(at);
    if (at == first->thread) return text + "\n";
    at = next->waits_for_thread;
  }
  return text + " → …\n";
}

}  // namespace

std::string threads_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                          size_t longest) {
  std::vector<const ThreadReport*> live;
  for (const ThreadReport& thread : reports(record)) {
    if (thread.state != ThreadState::finished) live.push_back(&thread);
  }
  std::stable_sort(live.begin(), live.end(), [](const ThreadReport* a, const ThreadReport* b) {
    return a->in_cycle > b->in_cycle;
  });
  std::vector<ThreadRow> rows;
  size_t shown = 0;
  for (; shown < live.size() && shown < longest; ++shown) {
    add_rows(*live[shown], reports(record), symbols, names, rows);
  }
  if (rows.empty()) return {};
  std::string text = render(rows);
  if (shown < live.size()) {
    text += fmt::format("    … and {} more\n", count(live.size() - shown, "thread"));
  }
  return text + cycle_line(reports(record), names);
}

}  // namespace jostle::report
