// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/threads_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "src/report/model/library_wait.h"
#include "src/report/text/waiting_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"
#include "src/report/words/wait_cycle.h"

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

// "held by forked process 1"; empty: nobody, or it is not known.
std::string holder_of(const channel::FamilyWait& wait, Names& names) {
  if (wait.held == channel::FamilyHolder::unknown) return {};
  const std::string who = wait.holder_process == 0
                              ? names.label(wait.holder_thread)
                              : family_member(wait.holder_process, wait.holder_thread, names);
  const bool copied = wait.held == channel::FamilyHolder::held_at_fork;
  return fmt::format("held by {}{}", who, copied ? " at the fork" : "");
}

// One thread, or several of which the same is to be said.
struct Entry {
  std::vector<ThreadRow> rows = {};
  size_t threads = 1;
  bool in_cycle = false;
};

bool alike(const Entry& a, const Entry& b) {
  return !a.in_cycle && !b.in_cycle && a.rows.size() == 1 && b.rows.size() == 1 &&
         a.rows[0].what == b.rows[0].what && a.rows[0].where == b.rows[0].where &&
         a.rows[0].who == b.rows[0].who;
}

Entry entry_of(const ThreadReport& thread, std::span<const ThreadReport> all, Symbolizer& symbols,
               Names& names) {
  Entry entry;
  entry.in_cycle = thread.in_cycle != 0;
  std::vector<ThreadRow>& rows = entry.rows;
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
  const bool computed = is_inside_library(thread.pending.kind, thread.pending.object, names);
  if (has_holder && !ended) {
    row.who = (computed ? "computed by " : "held by ") + names.label(thread.waits_for_thread);
  }
  for (const channel::FamilyWait& wait : family_waits(names.record())) {
    if (wait.process == 0 && wait.thread == thread.thread) row.who = holder_of(wait, names);
  }
  rows.push_back(std::move(row));
  if (ended) rows.push_back(ended_holder(*ended, thread.pending.object, symbols, names));
  for (const channel::HeldLock& lock : held(thread)) {
    if (is_nobodys_business(lock, names)) continue;
    const std::string times = lock.count > 1 ? fmt::format(" ({} times)", lock.count) : "";
    const std::string what =
        is_inside_library(lock.kind, lock.object, names)
            ? "computes " + names.object(lock.object)
            : fmt::format("holds {}{}", with_noun(lock.kind, names, lock.object), times);
    rows.push_back({"", what, source(symbols.line_that_matters(lock.acquired_at)), ""});
  }
  if (thread.held_count > channel::kMaxHeldLocks) {
    rows.push_back(
        {"", fmt::format("holds {} more", thread.held_count - channel::kMaxHeldLocks), "", ""});
  }
  return entry;
}

struct Widths {
  size_t thread = 0, what = 0, where = 0, who = 0;
};

// Names give way first: the rest is what the reader compares. None: there is no room for a table.
std::optional<Widths> table_widths(const std::vector<ThreadRow>& rows, size_t columns) {
  constexpr size_t kGaps = 2 + 3 * 3, kWidestPlace = 28, kReadable = 24;
  Widths widths;
  for (const ThreadRow& row : rows) {
    widths.thread = std::max(widths.thread, width(row.thread));
    widths.what = std::max(widths.what, width(row.what));
    widths.where = std::max(widths.where, width(row.where));
    widths.who = std::max(widths.who, width(row.who));
  }
  widths.where = std::min(widths.where, kWidestPlace);
  const size_t others = kGaps + widths.who + widths.thread + widths.where;
  const size_t room = columns > others ? columns - others : 0;
  if (room < std::min(widths.what, kReadable)) return std::nullopt;
  widths.what = std::min(widths.what, room);
  return widths;
}

std::string table(const std::vector<ThreadRow>& rows, const Widths& widths) {
  std::string text;
  for (const ThreadRow& row : rows) {
    std::string line = fmt::format("  {}   {}   {}   {}", pad(row.thread, widths.thread),
                                   pad(shorten(row.what, widths.what), widths.what),
                                   pad(shorten(row.where, widths.where), widths.where), row.who);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string paragraphs(const std::vector<ThreadRow>& rows, size_t columns) {
  constexpr std::string_view kIndent = "      ", kDeeper = "        ";
  std::string text;
  for (const ThreadRow& row : rows) {
    if (!row.thread.empty()) text += fmt::format("  {}\n", shorten(row.thread, columns - 2));
    std::string line = row.what;
    if (!row.who.empty()) line += ", " + row.who;
    if (!row.where.empty()) line += fmt::format(" ({})", row.where);
    text += fmt::format("{}{}\n", kIndent, wrap_words(line, columns - kIndent.size(), kDeeper));
  }
  return text;
}

std::string cycle_line(std::span<const ThreadReport> all, Names& names, size_t columns) {
  const std::vector<uint32_t> cycle = wait_cycle(all);
  if (cycle.empty()) return {};
  std::string text = "  cycle: " + names.label(cycle.front());
  for (size_t i = 1; i <= cycle.size(); ++i) {
    if (width(text) >= columns - 20) return text + " → …\n";
    text += " → " + names.label(cycle[i % cycle.size()]);
  }
  return text + "\n";
}

std::vector<Entry> entries_of(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                              size_t longest) {
  std::vector<const ThreadReport*> live;
  for (const ThreadReport& thread : reports(record)) {
    if (thread.state != ThreadState::finished) live.push_back(&thread);
  }
  std::stable_sort(live.begin(), live.end(), [](const ThreadReport* a, const ThreadReport* b) {
    return a->in_cycle > b->in_cycle;
  });
  const bool merges = live.size() > longest / 3;
  std::vector<Entry> entries;
  for (const ThreadReport* thread : live) {
    Entry entry;
    // To look at each of thousands takes long, and more than these are not shown.
    if (entries.size() <= longest) entry = entry_of(*thread, reports(record), symbols, names);
    const auto same = std::ranges::find_if(
        entries, [&](const Entry& other) { return merges && alike(other, entry); });
    if (same != entries.end()) {
      ++same->threads;
    } else {
      entries.push_back(std::move(entry));
    }
  }
  for (const channel::FamilyWait& wait : family_waits(record)) {
    if (wait.process == 0) continue;
    const std::string who = "  " + family_member(wait.process, wait.thread, names);
    const std::string where = source(symbols.line_that_matters(wait.pending.pc));
    entries.push_back({{{who, waiting_text(wait, names), where, holder_of(wait, names)}}});
  }
  return entries;
}

// The rows of as many entries as there is room for, one at least.
struct Shown {
  std::vector<ThreadRow> rows = {};
  size_t left = 0;  // threads that are not among them
};

Shown shown_of(const std::vector<Entry>& entries, size_t longest) {
  Shown shown;
  for (const Entry& entry : entries) {
    const bool fits = shown.rows.size() + entry.rows.size() <= longest;
    if (shown.left != 0 || (!fits && !shown.rows.empty())) {
      shown.left += entry.threads;
      continue;
    }
    const size_t first = shown.rows.size();
    shown.rows.insert(shown.rows.end(), entry.rows.begin(), entry.rows.end());
    if (entry.threads > 1) {
      shown.rows[first].thread += fmt::format(" and {} more", thousands(entry.threads - 1));
    }
  }
  return shown;
}

}  // namespace

std::string threads_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                          size_t longest, size_t columns) {
  const std::vector<Entry> entries = entries_of(record, symbols, names, longest);
  if (entries.empty()) return {};
  Shown shown = shown_of(entries, longest);
  const std::optional<Widths> widths = table_widths(shown.rows, columns);
  if (!widths) shown = shown_of(entries, longest / 2);  // each takes more lines
  std::string text = widths ? table(shown.rows, *widths) : paragraphs(shown.rows, columns);
  if (shown.left != 0) text += fmt::format("    … and {} more\n", count(shown.left, "thread"));
  return text + cycle_line(reports(record), names, columns);
}

}  // namespace jostle::report
