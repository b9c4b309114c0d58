// SPDX-License-Identifier: Apache-2.0
// Which rows of a long interleaving are shown.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/report/explain/interleaving.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

using Kind = InterleavingRow::Kind;

// The rows in the order in which a reader would miss them: the end and the steps that the
// explanation names, where others are stuck, then the rest by its distance from these; the later
// ones first.
std::vector<size_t> by_interest(const std::vector<InterleavingRow>& rows) {
  std::vector<size_t> distance(rows.size(), rows.size());
  const auto measure = [&](size_t i, size_t& from_last) {
    const bool is_named = rows[i].decisive && rows[i].first != 0;
    const bool is_stuck = rows[i].decisive || rows[i].kind == Kind::failed;
    from_last = is_named ? 0 : is_stuck ? std::min<size_t>(from_last + 1, 1) : from_last + 1;
    distance[i] = std::min(distance[i], from_last);
  };
  size_t from_last = rows.size();
  for (size_t i = 0; i < rows.size(); ++i) measure(i, from_last);
  from_last = SIZE_MAX;  // and one more is 0: the end is of interest in any case
  for (size_t i = rows.size(); i-- > 0;) measure(i, from_last);
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return distance[i]; });
  return order;
}

// Which rows stay: as many as there is room for, together with one for each gap.
std::vector<bool> chosen(const std::vector<InterleavingRow>& rows, size_t most) {
  std::vector<bool> kept(rows.size());
  const auto is_gap = [&](size_t i) { return i < rows.size() && !kept[i]; };
  size_t lines = 1;  // all of it is one gap
  for (const size_t i : by_interest(rows)) {
    // The gap that the row lies in is cut in two, or gets smaller, or disappears.
    const size_t gaps = (i > 0 && is_gap(i - 1) ? 1 : 0) + (is_gap(i + 1) ? 1 : 0);
    if (lines + gaps > most) break;
    lines += gaps;
    kept[i] = true;
  }
  // Where a thread is stuck belongs to the line that it is stuck at.
  for (size_t i = 1; i + 1 < rows.size(); ++i) {
    const bool has_line = rows[i - 1].kind == Kind::line && rows[i - 1].thread == rows[i].thread;
    if (rows[i].kind == Kind::failed && has_line && !kept[i - 1]) kept[i] = false;
  }
  return kept;
}

constexpr size_t kFewestToSumUp = 4;  // rows

// Behind the rows from `at` on that show nothing but that threads run. That a thread is preempted
// at the line before them is worth a row of its own.
size_t end_of_turns(const std::vector<InterleavingRow>& rows, size_t at) {
  if (at > 0 && rows[at - 1].kind == Kind::line && rows[at].kind == Kind::preempted) return at;
  size_t end = at;
  while (end < rows.size() && rows[end].kind != Kind::line && rows[end].kind != Kind::failed) ++end;
  return end;
}

// Behind the threads from `at` on that are stuck just like the one before them: a line and a mark
// each.
size_t end_of_stuck(const std::vector<InterleavingRow>& rows, size_t at) {
  const auto is_pair = [&](size_t i) {
    return i + 1 < rows.size() && rows[i].kind == Kind::line && rows[i + 1].kind == Kind::failed;
  };
  const auto alike = [&](size_t a, size_t b) {
    return rows[a].file == rows[b].file && rows[a].line == rows[b].line &&
           rows[a + 1].text == rows[b + 1].text;
  };
  if (at < 2 || !is_pair(at - 2)) return at;
  size_t end = at;
  while (is_pair(end) && alike(at - 2, end)) end += 2;
  return end;
}

// What is not shown, in a row.
InterleavingRow folded(const std::vector<InterleavingRow>& rows, size_t from, size_t to) {
  InterleavingRow result{Kind::folded, rows[from].thread};
  uint64_t preemptions = 0, stuck = 0;
  bool one_thread = true;
  for (size_t i = from; i < to; ++i) {
    const InterleavingRow& row = rows[i];
    preemptions += row.kind == Kind::preempted ? 1 : 0;
    stuck += row.kind == Kind::failed ? 1 : 0;
    one_thread = one_thread && row.thread == result.thread;
    if (row.first == 0) continue;
    if (result.first == 0) result.first = row.first;
    result.last = row.last;
  }
  result.count = result.first == 0 ? 0 : result.last - result.first + 1;
  const bool has_column = (from > 0 && rows[from - 1].thread == result.thread) ||
                          (to < rows.size() && rows[to].thread == result.thread);
  if (one_thread && has_column && preemptions == 0 && stuck == 0 && result.count != 0) {
    result.kind = Kind::left_out;
    return result;
  }
  const auto add = [&](const std::string& text) {
    result.text += (result.text.empty() ? "… " : ", ") + text;
  };
  if (result.count != 0) add(count(result.count, "step"));
  if (preemptions != 0) add(count(preemptions, "preemption"));
  if (stuck != 0) add(count(stuck, "thread") + " stuck");
  if (result.text.empty()) result.text = "…";
  return result;
}

}  // namespace

void list_threads(Interleaving& interleaving) {
  std::vector<uint32_t>& threads = interleaving.threads;
  threads.clear();
  for (const InterleavingRow& row : interleaving.rows) {
    if (row.kind != Kind::folded) threads.push_back(row.thread);
  }
  std::ranges::sort(threads);
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
}

Interleaving sum_up(Interleaving whole) {
  const std::vector<InterleavingRow>& rows = whole.rows;
  std::vector<InterleavingRow> shown;
  for (size_t i = 0; i < rows.size();) {
    const size_t end = std::max(end_of_turns(rows, i), end_of_stuck(rows, i));
    if (end - i >= kFewestToSumUp) {
      shown.push_back(folded(rows, i, end));
      i = end;
    } else {
      shown.push_back(rows[i++]);
    }
  }
  whole.rows = std::move(shown);
  list_threads(whole);
  return whole;
}

Interleaving fold(Interleaving whole, size_t most) {
  const std::vector<InterleavingRow>& rows = whole.rows;
  if (rows.size() <= most) return whole;
  const std::vector<bool> kept = chosen(rows, most);
  std::vector<InterleavingRow> shown;
  for (size_t i = 0; i < rows.size();) {
    size_t end = i;
    while (end < rows.size() && !kept[end]) ++end;
    if (end != i) {
      shown.push_back(folded(rows, i, end));
      i = end;
      continue;
    }
    shown.push_back(rows[i++]);
  }
  whole.rows = std::move(shown);
  list_threads(whole);
  return whole;
}

}  // namespace jostle::report
