// Stacks for reports.
#pragma once

#include <cstdint>

#include "src/schedule/channel.h"

namespace jostle::rt {

// The stack of the running thread, our own frames left out. When `from` is one of its return
// addresses or the place of a fault, the stack starts there. Slow: microseconds.
void capture_own_stack(channel::Stack& stack, uintptr_t from);

}  // namespace jostle::rt
