// SPDX-License-Identifier: Apache-2.0
// Stacks as text, one frame per line.
#pragma once

#include <string>
#include <vector>

#include "src/report/symbols/symbolizer.h"
#include "src/report/words/text.h"
#include "src/schedule/run_end.h"

namespace jostle::report {

// All frames of a stack, innermost first, without our own runtime's.
std::vector<Frame> stack_frames(const channel::Stack& stack, bool first_is_exact,
                                Symbolizer& symbols);

// In few lines: of frames that are not the program's own only the number, of a recursion one round,
// and of a deep stack the innermost and outermost frames.
inline constexpr size_t kFewFrames = 12;
std::string stack_lines(const std::vector<Frame>& frames, bool few_lines, size_t columns = kColumns,
                        size_t few = kFewFrames);

}  // namespace jostle::report
