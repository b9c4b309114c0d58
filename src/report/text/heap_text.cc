// SPDX-License-Identifier: Apache-2.0
#include "src/report/text/heap_text.h"

#include <fmt/format.h>

#include "src/report/text/stack_text.h"
#include "src/report/words/record_view.h"
#include "src/report/words/text.h"

namespace jostle::report {

std::string place_in_block(const channel::ObjectRecord& object) {
  const std::string block = fmt::format("a {}heap block of {}", object.freed != 0 ? "freed " : "",
                                        count(object.size, "byte"));
  if (object.offset > UINT64_MAX / 2) {
    return fmt::format("{} before {}", count(-object.offset, "byte"), block);
  }
  if (object.offset >= object.size && object.size != 0) {
    const uint64_t behind = object.offset - object.size;
    return behind == 0 ? fmt::format("right behind {}", block)
                       : fmt::format("{} behind {}", count(behind, "byte"), block);
  }
  return object.offset == 0 ? fmt::format("the beginning of {}", block)
                            : fmt::format("byte {} of {}", thousands(object.offset), block);
}

// Of a stack that is one of several.
static constexpr size_t kFewOfMany = 6;

std::string leaks_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                        bool few_lines, size_t columns) {
  constexpr size_t kMostPlaces = 4;
  std::string text;
  size_t shown = 0;
  for (const channel::LeakRecord& leak : leaks(record)) {
    if (few_lines && shown++ == kMostPlaces) {
      const size_t left = leaks(record).size() - kMostPlaces;
      text += fmt::format("  … and at {} more\n", count(left, "place"));
      break;
    }
    text += fmt::format("  {} in {} lost, allocated by {}\n{}", count(leak.bytes, "byte"),
                        count(leak.blocks, "block"), names.title(leak.thread),
                        stack_lines(stack_frames(leak.allocated_at, false, symbols), few_lines,
                                    columns, kFewOfMany));
  }
  return text;
}

std::string heap_block(const channel::RunRecord& record, Symbolizer& symbols, Names& names,
                       bool few_lines, size_t columns) {
  if (record.leak_count != 0) return leaks_block(record, symbols, names, few_lines, columns);
  for (const channel::ObjectRecord& object : objects(record)) {
    if (object.address != record.end.address) continue;
    if (object.region == channel::Region::stack) {
      return fmt::format(
          "  the address is on the stack of {}, where that has nothing any more: the function "
          "whose variable it was has returned\n",
          names.title(object.thread));
    }
    if (object.region != channel::Region::heap) continue;
    std::string text = fmt::format("  the address is {}\n", place_in_block(object));
    if (object.freed != 0 && object.freed_by != kNoThread) {
      text += fmt::format("  freed by {}\n{}", names.title(object.freed_by),
                          stack_lines(stack_frames(object.freed_at, false, symbols), few_lines,
                                      columns, kFewOfMany));
    }
    if (object.allocated_at.depth != 0) {
      text += fmt::format("  allocated by {}\n{}", names.title(object.thread),
                          stack_lines(stack_frames(object.allocated_at, false, symbols), few_lines,
                                      columns, kFewOfMany));
    }
    return text;
  }
  return {};
}

}  // namespace jostle::report
