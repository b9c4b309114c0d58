// Stacks as text, one frame per line.
#pragma once

#include <string>
#include <vector>

#include "src/report/symbolizer.h"
#include "src/schedule/channel.h"

namespace jostle::report {

// All frames of a stack, innermost first, without our own runtime's.
std::vector<Frame> stack_frames(const channel::Stack& stack, bool first_is_exact,
                                Symbolizer& symbols);

// `fold_libraries`: of frames that are not the program's own only the number.
std::string stack_lines(const std::vector<Frame>& frames, bool fold_libraries);

}  // namespace jostle::report
