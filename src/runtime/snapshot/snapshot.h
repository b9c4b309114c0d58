// SPDX-License-Identifier: Apache-2.0
// The snapshot: the whole state of the program before a run, and the way back to it.
//
// Memory is image.h's, the kernel's part kernel_state.h's, the threads the scheduler's; here it is
// said what belongs to the image and in which order things go back.
#pragma once

namespace jostle::rt {

// Functions of libraries may still have to be looked up at their first call. Said before the
// snapshot is taken.
void note_lazy_binding();

// Takes the snapshot, on the engine's stack, while the program waits in start_engine. Null, or why
// there cannot be one; completes "the program …".
const char* take_snapshot();

// After a run has left: everything is as when the snapshot was taken.
void rewind_to_snapshot();

}  // namespace jostle::rt
