// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/spin_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/report/model/library_wait.h"
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

std::string line_of(const std::string& text, const channel::TraceEvent& event, Symbolizer& symbols,
                    size_t columns) {
  constexpr size_t kGap = 3, kWidest = 64, kUsual = 36;
  const std::string place = source(symbols.line_that_matters(event.pc));
  const size_t room = columns - std::min(width(place) + kGap, columns / 2);
  return fmt::format("{}   {}\n",
                     pad(shorten(text, std::min(kWidest, room)), std::min(kUsual, room)),
                     shorten(place, columns - room - kGap));
}

std::string access_text(const channel::TraceEvent& event, Names& names) {
  std::string text = fmt::format("    {}", op_name(event.kind));
  if (event.object != 0) text += " " + names.object(event.object);
  if (const std::string value = names.value(event); !value.empty()) text += " = " + value;
  return text;
}

// One line for all that a call of the library did in a row.
std::vector<std::string> lines_of(const SpinLoop& loop, Symbolizer& symbols, Names& names,
                                  size_t columns) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < loop.body.size();) {
    const channel::TraceEvent& first = *loop.body[i];
    const std::string call = library_call(first.pc, names);
    const std::string place = source(symbols.line_that_matters(first.pc));
    SpinLoop part;
    do {
      part.body.push_back(loop.body[i++]);
    } while (!call.empty() && i < loop.body.size() &&
             library_call(loop.body[i]->pc, names) == call &&
             source(symbols.line_that_matters(loop.body[i]->pc)) == place);
    if (call.empty()) {
      lines.push_back(line_of(access_text(first, names), first, symbols, columns));
      continue;
    }
    const Looked looked = looked_at_in(part, names);
    std::string text = "    " + call;
    if (looked.event != nullptr) text += " on " + looked.object;
    lines.push_back(line_of(text, first, symbols, columns));
  }
  return lines;
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

bool is_written_in(const SpinLoop& loop, uint64_t object) {
  return std::ranges::any_of(loop.body, [&](const channel::TraceEvent* event) {
    return event->object == object &&
           (event->kind == OpKind::write || event->kind == OpKind::atomic_store);
  });
}

const channel::TraceEvent* asked_for_in(const SpinLoop& loop) {
  for (const channel::TraceEvent* event : loop.body) {
    if (event->object == 0) continue;
    if (event->kind == OpKind::mutex_lock || event->kind == OpKind::mutex_trylock) return event;
    // It may give back what it took.
    const bool posts = std::ranges::any_of(loop.body, [&](const channel::TraceEvent* other) {
      return other->kind == OpKind::sem_post && other->object == event->object;
    });
    if (event->kind == OpKind::sem_wait && !posts) return event;
  }
  return nullptr;
}

Looked looked_at_in(const SpinLoop& loop, Names& names) {
  Looked found;
  for (const channel::TraceEvent* event : loop.body) {
    if (event->kind != OpKind::state_read || event->object == 0) continue;
    return {event, names.object(event->object), library_call(event->pc, names)};
  }
  for (const bool atomic : {true, false}) {
    for (const channel::TraceEvent* event : loop.body) {
      const bool reads =
          atomic ? event->kind == OpKind::atomic_load || event->kind == OpKind::atomic_rmw
                 : event->kind == OpKind::read;
      // What it has written itself is no news to it.
      if (!reads || event->object == 0 || is_written_in(loop, event->object)) continue;
      found = {event, names.object(event->object), library_call(event->pc, names)};
      // What the library keeps for itself on the way.
      if (!is_of_library(found.object)) return found;
    }
  }
  return {};
}

size_t others_looked_at(const SpinLoop& loop, const std::string& object, Names& names) {
  std::set<std::string> others;
  for (const channel::TraceEvent* event : loop.body) {
    const bool reads = event->kind == OpKind::read || event->kind == OpKind::atomic_load ||
                       event->kind == OpKind::atomic_rmw;
    if (!reads || event->object == 0 || is_written_in(loop, event->object)) continue;
    const std::string name = names.object(event->object);
    if (name != object && !is_of_library(name)) others.insert(name);
  }
  return others.size();
}

std::map<uint32_t, SpinLoop> spin_loops(const channel::RunRecord& record) {
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
  std::map<uint32_t, SpinLoop> loops;
  for (const auto& [thread, all] : events) {
    SpinLoop loop = find_spin_loop(all);
    if (!loop.body.empty()) loops.emplace(thread, std::move(loop));
  }
  return loops;
}

std::string spin_loops_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                             size_t columns, size_t most) {
  std::string text;
  size_t shown = 0, left = 0;
  for (const auto& [thread, loop] : spin_loops(record)) {
    if (shown == most) {
      ++left;
      continue;
    }
    ++shown;
    text += fmt::format("  {}\n",
                        wrap_words(fmt::format("{} goes round and round, {} in the end",
                                               names.title(thread), count(loop.rounds, "time")),
                                   columns - 2, "    "));
    const std::vector<std::string> lines = lines_of(loop, symbols, names, columns);
    for (size_t i = 0; i < lines.size() && i < kMostLoopLines; ++i) text += lines[i];
    if (lines.size() > kMostLoopLines) {
      text += fmt::format("    … {} more\n", lines.size() - kMostLoopLines);
    }
  }
  if (left != 0) text += fmt::format("  … and {} more\n", count(left, "thread"));
  return text;
}

}  // namespace jostle::report
