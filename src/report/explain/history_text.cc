// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr std::string_view kHistoryMargin = "    ", kBetweenColumns = "   ";
constexpr size_t kLeastHistoryColumn = 12;

// A row per moment, a column per thread: what is below had to wait for what is above.
std::string history_table(const HistoryModel& history, size_t columns) {
  uint32_t threads = 0, rows = 0;
  for (const HistoryModel::Operation& one : history.operations) {
    threads = std::max(threads, one.column + 1);
    rows = std::max(rows, one.row + 1);
  }
  std::vector<std::vector<std::string>> cells(rows + 1, std::vector<std::string>(threads));
  for (const HistoryModel::Operation& one : history.operations) {
    cells[0][one.column] = one.thread;
    cells[one.row + 1][one.column] = text_of(one);
  }
  const bool has_main = std::ranges::any_of(
      history.operations, [](const HistoryModel::Operation& one) { return one.column == 0; });
  const uint32_t first = has_main ? 0 : 1;
  std::string text;
  std::vector<size_t> widths(threads, 0);
  for (const auto& row : cells) {
    for (uint32_t t = first; t < threads; ++t) widths[t] = std::max(widths[t], width(row[t]));
  }
  // What is too wide for the terminal is made shorter in the widest columns.
  size_t all = kHistoryMargin.size();
  for (uint32_t t = first; t < threads; ++t) all += widths[t] + kBetweenColumns.size();
  for (; all > columns + kBetweenColumns.size(); --all) {
    size_t& widest = *std::ranges::max_element(widths);
    if (widest <= kLeastHistoryColumn) break;
    --widest;
  }
  for (const auto& row : cells) {
    std::string line(kHistoryMargin);
    for (uint32_t t = first; t < threads; ++t) {
      if (t != first) line += kBetweenColumns;
      line += pad(shorten(row[t], widths[t]), widths[t]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string nearest_order(const HistoryModel& history, size_t columns) {
  if (history.nearest.empty()) return {};
  std::vector<std::string> steps;
  for (const uint32_t i : history.nearest) {
    const HistoryModel::Operation& one = history.operations[i];
    HistoryModel::Operation there = one;
    there.called = true;
    there.result = one.result_there;
    there.returned = one.returns_there;
    std::string step = (one.column == 0 ? "" : one.thread + " ") + text_of(there);
    if (one.differs) {
      step += fmt::format(" (here: {})", !one.called          ? "not called"
                                         : !one.returned      ? "never"
                                         : one.result.empty() ? "returns"
                                                              : one.result);
    }
    steps.push_back(std::move(step));
  }
  return paragraph("  nearest   ", fmt::format("{}", fmt::join(steps, "; ")), columns);
}

// What a test of progress did.
std::string test_title(const HistoryModel& history) {
  const HistoryModel::Test& test = history.test;
  const HistoryModel::Operation& tested = history.operations[test.operation];
  const std::string when =
      fmt::format("{} {}'s {}", test.after == 0 ? "at the beginning of" : "in the middle of",
                  tested.thread, tested.call);
  std::string text = "what was called side by side, each below what has to come before it; ";
  if (test.partner.empty()) {
    text += fmt::format("{} all other threads were stopped", when);
  } else {
    text +=
        fmt::format("{} all threads were stopped but {} and {}, which took turns ({} and {})", when,
                    tested.thread, test.partner, count(test.turn, "step"), test.partner_turn);
  }
  if (test.bound != 0) {
    text += fmt::format("; it may take {} of its own", count(test.bound, "step"));
  }
  return text;
}

}  // namespace

std::string history_block(const HistoryModel& history, size_t columns) {
  if (history.empty()) return {};
  if (history.test.promise != Promise::none) {
    return paragraph("  ", test_title(history), columns) + history_table(history, columns);
  }
  std::string title =
      "what was called side by side, each below what has to come before it; no such order returns "
      "that";
  if (history.slack != 0) {
    title += fmt::format(", nor one with operations up to {} away", count(history.slack, "place"));
  }
  if (history.orders != 0) {
    title += fmt::format(" ({} one after the other)", count(history.orders, "run"));
  }
  return paragraph("  ", title, columns) + history_table(history, columns) +
         nearest_order(history, columns);
}

}  // namespace jostle::report
