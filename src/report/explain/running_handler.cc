// SPDX-License-Identifier: Apache-2.0
#include "src/report/explain/running_handler.h"

#include <algorithm>

#include "src/report/words/record_view.h"

namespace jostle::report {
namespace {

// A lambda without captures that is a function is called by one that the compiler made.
std::string name_of(std::string_view function) {
  for (const std::string_view caller : {"::_FUN", "::__invoke"}) {
    const size_t at = function.find(caller);
    if (at == function.npos) continue;
    return readable_function(std::string(function.substr(0, at)) + "::operator()() const");
  }
  return readable_function(function);
}

}  // namespace

std::string running_handler(const channel::RunRecord& record, const channel::ThreadReport& thread,
                            Symbolizer& symbols) {
  // What a handler that has not returned keeps from being executed.
  const auto events = trace(record);
  const auto delayed = std::find_if(events.rbegin(), events.rend(), [&](const auto& event) {
    return event.thread == thread.thread && event.event == channel::kNotExecuted;
  });
  if (delayed == events.rend()) return {};
  // The handler was called by us in the midst of that, maybe in a function of the library's headers
  // that was called there.
  const channel::Stack& stack = thread.stack;
  const uint32_t depth = std::min<uint32_t>(stack.depth, channel::kMaxStack);
  uint32_t called_by_us = 0;
  for (uint32_t i = 1; i < depth; ++i) {
    if (stack.not_adjacent >> i & 1) called_by_us = i;
    if (called_by_us == 0 || stack.pc[i] != delayed->pc) continue;
    return name_of(symbols.frames(stack.pc[called_by_us - 1]).back().function);
  }
  return {};
}

}  // namespace jostle::report
