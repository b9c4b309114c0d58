#include "src/report/stack_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/report/text.h"

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

std::string stack_lines(const std::vector<Frame>& frames, bool fold_libraries) {
  constexpr size_t kIndent = 8, kNarrowest = 28, kWidest = 56;
  // A stack of nothing but library code is shown as it is.
  const bool all_plumbing =
      std::all_of(frames.begin(), frames.end(), [](const Frame& frame) { return frame.plumbing; });
  std::string text;
  size_t folded = 0;
  // What calls main or a thread's routine is of no interest: only what lies between is counted.
  const auto flush = [&] {
    if (folded != 0) text += fmt::format("    …   {} of libraries\n", count(folded, "frame"));
    folded = 0;
  };
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = frames[i];
    if (fold_libraries && frame.plumbing && !all_plumbing) {
      ++folded;
      continue;
    }
    flush();
    const std::string function = frame.function.empty() ? "?" : frame.function;
    const size_t columns = std::clamp(width(function), kNarrowest, kWidest);
    const std::string place =
        frame.line == 0 ? frame.where : fmt::format("{}:{}", escape(frame.file), frame.line);
    text += fmt::format("    #{:<2} {}  {}\n", i, pad(shorten(function, columns), columns),
                        shorten(place, kColumns - kIndent - columns - 2));
  }
  return text;
}

}  // namespace jostle::report
