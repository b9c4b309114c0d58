// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/spin_loop.h"

#include <fmt/format.h>

#include <map>

#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

// As in the runtime's detector: longer loops are not recognised as spinning.
constexpr size_t kLongestLoop = 256;
// So often it has to come to be called a loop.
constexpr uint64_t kFewestRounds = 3;
constexpr size_t kMostLoopLines = 8;

bool same(const channel::TraceEvent& a, const channel::TraceEvent& b) {
  return a.kind == b.kind && a.pc == b.pc && a.object == b.object;
}

uint64_t rounds_of(const std::vector<const channel::TraceEvent*>& events, size_t length) {
  uint64_t equal = 0;
  for (size_t i = events.size() - length; i-- > 0 && same(*events[i], *events[i + length]);) {
    ++equal;
  }
  return 1 + equal / length;
}

std::string line_of(const channel::TraceEvent& event, Symbolizer& symbols, Names& names,
                    size_t columns) {
  std::string text = fmt::format("    {}", op_name(event.kind));
  if (event.object != 0) text += " " + names.object(event.object);
  if (event.value_known != 0) text += fmt::format(" = {}", names.value(event));
  constexpr size_t kGap = 3, kWidest = 48, kUsual = 36;
  const std::string place = source(symbols.line_that_matters(event.pc));
  const size_t room = columns - std::min(width(place) + kGap, columns / 2);
  return fmt::format("{}   {}\n",
                     pad(shorten(text, std::min(kWidest, room)), std::min(kUsual, room)),
                     shorten(place, columns - room - kGap));
}

}  // namespace

SpinLoop find_spin_loop(const std::vector<const channel::TraceEvent*>& events) {
  for (size_t length = 1; length <= kLongestLoop && length * kFewestRounds <= events.size();
       ++length) {
    const uint64_t rounds = rounds_of(events, length);
    if (rounds < kFewestRounds) continue;
    return {{events.end() - static_cast<std::ptrdiff_t>(length), events.end()}, rounds};
  }
  return {};
}

std::string spin_loops_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                             size_t columns, size_t most) {
  std::map<uint32_t, std::vector<const channel::TraceEvent*>> events;
  for (const channel::ThreadReport& thread : reports(record)) {
    // Who sleeps between two looks goes round as well.
    const bool sleeps = thread.deadline != INT64_MAX;
    if (thread.state == channel::ThreadState::runnable || sleeps) events[thread.thread];
  }
  for (const channel::TraceEvent& event : trace(record)) {
    const auto found = events.find(event.thread);
    if (found != events.end()) found->second.push_back(&event);
  }
  std::string text;
  size_t shown = 0, left = 0;
  for (const auto& [thread, all] : events) {
    const SpinLoop loop = find_spin_loop(all);
    if (loop.body.empty()) continue;
    if (shown == most) {
      ++left;
      continue;
    }
    ++shown;
    text += fmt::format("  {}\n",
                        wrap_words(fmt::format("{} goes round and round, {} in the end",
                                               names.title(thread), count(loop.rounds, "time")),
                                   columns - 2, "    "));
    for (size_t i = 0; i < loop.body.size() && i < kMostLoopLines; ++i) {
      text += line_of(*loop.body[i], symbols, names, columns);
    }
    if (loop.body.size() > kMostLoopLines) {
      text += fmt::format("    … {} more\n", loop.body.size() - kMostLoopLines);
    }
  }
  if (left != 0) text += fmt::format("  … and {} more\n", count(left, "thread"));
  return text;
}

}  // namespace jostle::report
