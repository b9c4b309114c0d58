// SPDX-License-Identifier: Apache-2.0
// Objects of the kernel's that outlive processes: System V's memory, semaphores and messages, and
// the message queues of POSIX. Those that a run made and did not remove, because it was cut off or
// failed before, are removed after it, as files are.
#pragma once

#include "src/schedule/file_journal.h"

namespace jostle::files {

using channel::KernelObjectKind;

// A run has made it, or removed it. A queue is known by its name, the others by their numbers.
void note_object_made(channel::FileJournal& journal, KernelObjectKind kind, int id,
                      const char* name = "");
void note_object_removed(channel::FileJournal& journal, KernelObjectKind kind, int id,
                         const char* name = "");

// The run is over.
void remove_left_objects(channel::FileJournal& journal);

}  // namespace jostle::files
