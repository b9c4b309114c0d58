// SPDX-License-Identifier: Apache-2.0
// The step of a hook that looks at what all threads see although it is no memory of theirs, or
// changes it (schedule/shared_state.h). What exactly it touches is for who has to know whether the
// order of two steps matters:
//
//     StateStep(OpKind::state_write, SharedState::file_names, CALLER()).makes_or_removes(AT_FDCWD,
//     path); return REAL(unlink)(path);
//
// While there is one thread it is nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/schedule/operation.h"
#include "src/schedule/shared_state.h"

namespace jostle::rt {

class StateStep {
 public:
  StateStep(OpKind kind, SharedState state, uintptr_t pc);

  // Looks at a name of a file, and on the way at those of the folders that lead there.
  StateStep& looks_at(int directory, const char* path);
  // Changes what is behind a name, or how it is called.
  StateStep& changes(int directory, const char* path);
  // The same, and what a listing of its folder has.
  StateStep& makes_or_removes(int directory, const char* path);
  StateStep& lists();
  // What is in files, which others read and write.
  StateStep& looks_at_content();
  StateStep& changes_content();
  // Of one kind of state with nothing else to tell apart, or of one variable of the environment.
  StateStep& looks(SharedState state);
  StateStep& changes(SharedState state);
  StateStep& looks_at_variable(const char* name);
  StateStep& changes_variable(const char* name);
  // What is in memory goes, or can no longer be there.
  StateStep& empties(const void* begin, size_t size);
  // The position in a stream, and what it has in its buffer.
  StateStep& moves_in(const volatile void* stream);

 private:
  void uses_path(int directory, const char* path, bool changes);

  bool is_taken_ = false;
  bool is_noted_ = false;
};

// What the kernel keeps of an open file besides its bytes: flags, owner, names and options of a
// socket, settings of a terminal.
inline void looks_at_open_file(uintptr_t pc) {
  StateStep(OpKind::state_read, SharedState::file_content, pc).looks_at_content();
}
inline void changes_open_file(uintptr_t pc) {
  StateStep(OpKind::state_write, SharedState::file_content, pc).changes_content();
}

// Who makes a descriptor is given a number that nobody has: the order of that and of closing others
// decides which. Closing two of them has no order by that.
inline StateStep makes_descriptor(uintptr_t pc) {
  return StateStep(OpKind::state_write, SharedState::descriptors, pc)
      .changes(SharedState::descriptors);
}
// The same in a step that the hook has taken already.
void has_made_descriptor();
void has_closed_descriptor();

}  // namespace jostle::rt
