// SPDX-License-Identifier: Apache-2.0
// Memory that is lost at the end of a run (`--check leak`): blocks that nobody freed and that
// cannot be reached from globals, from the stacks and thread-local variables of live threads, or
// from other blocks that can. Whatever looks like a pointer into a block counts as one, so that a
// block that is in use is never called lost; now and then a lost one is overlooked.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::rt {

// After the last exit handler of a run that ends well: fails it if something is lost.
void check_leaks();

}  // namespace jostle::rt
