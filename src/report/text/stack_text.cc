// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/stack_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/words/text.h"

namespace jostle::report {

std::vector<Frame> stack_frames(const channel::Stack& stack, bool first_is_exact,
                                Symbolizer& symbols) {
  std::vector<Frame> result;
  const uint32_t depth = std::min<uint32_t>(stack.depth, channel::kMaxStack);
  for (uint32_t i = 0; i < depth; ++i) {
    const bool exact = i == 0 && first_is_exact;
    for (const Frame& frame :
         symbols.frames(stack.pc[i], exact ? PcKind::exact : PcKind::return_address)) {
      if (!is_own_library(frame.where.substr(0, frame.where.find('+')))) result.push_back(frame);
    }
  }
  return result;
}

namespace {

std::string function_of_frame(const Frame& frame) {
  return frame.function.empty() ? "?" : frame.function;
}

std::string place_of(const Frame& frame, bool with_folders) {
  if (frame.line == 0) return frame.where;
  return with_folders ? fmt::format("{}:{}", escape(frame.file), frame.line) : source(frame);
}

// The same for all lines of a stack.
struct StackLayout {
  size_t function = 0, place = 0;  // columns
  bool with_folders = true;        // of files
};

StackLayout layout_of(const std::vector<const Frame*>& frames, size_t columns) {
  constexpr size_t kIndent = 8, kGap = 2, kNarrowest = 28, kWidest = 56, kLeastOfFunction = 9;
  const size_t room = columns - kIndent - kGap;
  StackLayout layout;
  for (const Frame* frame : frames) {
    layout.function = std::max(layout.function, width(function_of_frame(*frame)));
    layout.place = std::max(layout.place, width(place_of(*frame, true)));
  }
  // Of a function's name the beginning and the end are enough, and of a file the name.
  if (std::min(layout.function, kWidest) + layout.place > room) {
    layout.with_folders = false;
    layout.place = 0;
    for (const Frame* frame : frames) {
      layout.place = std::max(layout.place, width(place_of(*frame, false)));
    }
    layout.place = std::min(layout.place, room - kLeastOfFunction);
  }
  layout.function = std::min(std::max(layout.function, kNarrowest), room - layout.place);
  return layout;
}

std::string frame_line(size_t number, const Frame& frame, const StackLayout& layout) {
  return fmt::format("    #{:<2} {}  {}\n", number,
                     pad(shorten(function_of_frame(frame), layout.function), layout.function),
                     shorten(place_of(frame, layout.with_folders), layout.place));
}

// How many frames from `at` on belong to a recursion that goes round at least three times, and how
// long a round is.
struct Recursion {
  size_t frames = 0, round = 0;
};

Recursion recursion_at(const std::vector<Frame>& frames, size_t at) {
  constexpr size_t kLongestRound = 4, kFewestRounds = 3;
  const auto same = [&](size_t a, size_t b) {
    return frames[a].function == frames[b].function && frames[a].line == frames[b].line &&
           !frames[a].function.empty();
  };
  for (size_t round = 1; round <= kLongestRound; ++round) {
    size_t end = at + round;
    while (end < frames.size() && same(end - round, end)) ++end;
    const size_t rounds = (std::min(end, frames.size()) - std::min(at, frames.size())) / round;
    if (rounds >= kFewestRounds && end <= frames.size()) return {rounds * round, round};
  }
  return {};
}

// The lines in the middle give way to one that counts them.
std::string without_middle(const std::vector<std::string>& lines, size_t most) {
  const size_t last = lines.size() > most ? most / 4 : 0;
  const size_t first = lines.size() > most ? most - last - 1 : lines.size();
  std::string text;
  for (size_t i = 0; i < first; ++i) text += lines[i];
  if (first < lines.size()) text += fmt::format("    …   {} more\n", lines.size() - first - last);
  for (size_t i = lines.size() - last; i < lines.size(); ++i) text += lines[i];
  return text;
}

}  // namespace

std::string stack_lines(const std::vector<Frame>& frames, bool few_lines, size_t columns,
                        size_t few) {
  // A stack of nothing but library code is shown as it is.
  const bool all_plumbing =
      std::all_of(frames.begin(), frames.end(), [](const Frame& frame) { return frame.plumbing; });
  const auto is_folded = [&](const Frame& frame) {
    return few_lines && frame.plumbing && !all_plumbing;
  };
  std::vector<const Frame*> visible;
  for (const Frame& frame : frames) {
    if (!is_folded(frame)) visible.push_back(&frame);
  }
  const StackLayout layout = layout_of(visible, columns);
  std::vector<std::string> lines;
  size_t folded = 0;
  // What calls main or a thread's routine is of no interest: only what lies between is counted.
  const auto flush = [&] {
    if (folded != 0)
      lines.push_back(fmt::format("    …   {} of libraries\n", count(folded, "frame")));
    folded = 0;
  };
  for (size_t i = 0; i < frames.size(); ++i) {
    if (is_folded(frames[i])) {
      ++folded;
      continue;
    }
    flush();
    const Recursion recursion = few_lines ? recursion_at(frames, i) : Recursion{};
    const size_t shown = std::max<size_t>(recursion.round, 1);
    for (size_t k = 0; k < shown; ++k) lines.push_back(frame_line(i + k, frames[i + k], layout));
    if (recursion.frames != 0) {
      const size_t again = recursion.frames / recursion.round - 1;
      const std::string_view what = recursion.round == 1 ? "the same" : "these";
      // Stacks are kept up to a depth only: who calls the first of them may be the same again.
      const bool is_end = i + recursion.frames + recursion.round > frames.size();
      lines.push_back(is_end ? fmt::format("    …   {} over and over\n", what)
                             : fmt::format("    …   {} {} times more\n", what, thousands(again)));
      i += recursion.frames - 1;
    }
  }
  return without_middle(lines, few_lines ? few : SIZE_MAX);
}

}  // namespace jostle::report
