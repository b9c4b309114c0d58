// SPDX-License-Identifier: Apache-2.0
// Which heap the program's calls reach.
#pragma once

namespace jostle::rt {

// `adopted`: new blocks are ours, and those that libc gave out before are still good; to free one
// of them does nothing, because the rewind would undo it. `both`: ours while a thread is
// controlled, libc's otherwise.
enum class Heap : char { undecided, ours, libcs, adopted, both };
void choose_heap(Heap heap);

}  // namespace jostle::rt
