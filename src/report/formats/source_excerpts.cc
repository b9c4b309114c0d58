// SPDX-License-Identifier: Apache-2.0
#include "src/report/formats/source_excerpts.h"

#include <map>
#include <set>

#include "src/report/explain/mentions.h"
#include "src/report/words/source_lines.h"
#include "src/report/words/text.h"

namespace jostle::report {
namespace {

constexpr int kAround = 12;
constexpr size_t kMostExcerptLines = 8'000;  // of all files; a report is no archive
constexpr size_t kLongestLine = 2'000;       // generated code

std::string printable(const std::string& line) {
  std::string text;
  for (const char c : line.substr(0, kLongestLine)) {
    if (c == '\t') {
      text.append(8 - text.size() % 8, ' ');
    } else if (c != '\r') {
      text += c;
    }
  }
  return escape(text);
}

std::map<std::string, std::set<int>> lines_of(const TraceModel& model) {
  std::map<std::string, std::set<int>> lines;
  const auto add = [&](const Place& place) {
    if (!place.file.empty() && place.line > 0) lines[place.file].insert(place.line);
  };
  for (const Place& place : model.places) add(place);
  for (const Place& place : model.failing_stack) add(place);
  if (model.failing_place) add(*model.failing_place);
  const auto add_own = [&](const std::vector<Place>& stack) {
    for (const Place& place : stack) {
      if (!place.library) add(place);
    }
  };
  if (model.block) add_own(model.block->allocated_at);
  if (model.block) add_own(model.block->freed_at);
  for (const LeakModel& leak : model.leaks) add_own(leak.allocated_at);
  for (const RaceSideModel& side : model.race) add_own(side.stack);
  for (const Mention& mention : mentions(model)) lines[mention.file].insert(mention.line);
  for (const Callback& callback : model.callbacks) {
    if (callback.line > 0) lines[callback.file].insert(callback.line);
  }
  for (const ThreadModel& thread : model.threads) {
    add(thread.at);
    for (const HeldLockModel& lock : thread.holds) add(lock.place);
    add_own(thread.stack);
  }
  return lines;
}

}  // namespace

std::vector<SourceExcerpt> source_excerpts(const TraceModel& model) {
  std::vector<SourceExcerpt> excerpts;
  SourceLines sources;
  size_t total = 0;
  for (const auto& [file, wanted] : lines_of(model)) {
    const std::vector<std::string>& all = sources.lines_of(file);
    int next = 0;  // the first line that is not taken yet
    for (const int line : wanted) {
      const int last = std::min<int>(line + kAround, static_cast<int>(all.size()));
      int first = std::max(1, line - kAround);
      if (first > last || line > static_cast<int>(all.size())) continue;
      const bool joins = next != 0 && first <= next;
      if (joins) first = next;
      if (!joins) excerpts.push_back({file, first, {}});
      for (int i = first; i <= last && total < kMostExcerptLines; ++i, ++total) {
        excerpts.back().lines.push_back(printable(all[static_cast<size_t>(i) - 1]));
      }
      next = std::max(next, last + 1);
    }
  }
  std::erase_if(excerpts, [](const SourceExcerpt& excerpt) { return excerpt.lines.empty(); });
  return excerpts;
}

}  // namespace jostle::report
