// SPDX-License-Identifier: Apache-2.0
// For hooks that change files: what a campaign's run does to the file system is put back after it
// (src/files). A hook says so before the call, and behind the step that it takes:
//
//     files::Change change = changes_file(AT_FDCWD, path, kItself);
//     return checked(change, REAL(unlink)(path));
#pragma once

#include "src/base/kept.h"
#include "src/files/journal.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/state/state_step.h"

namespace jostle::rt {

// Null unless a campaign cares. A child of the program goes on with it.
extern JOSTLE_HIDDEN channel::FileJournal* g_file_journal;

inline constexpr bool kItself = false;  // the name, even if it is a symbolic link
inline constexpr bool kWhereItLeads = true;

inline files::Change changes_file(int directory, const char* path, bool follows) {
  return {controlled() ? g_file_journal : nullptr, directory, path, follows};
}

inline int checked(files::Change& change, int result) {
  if (result < 0) change.failed();
  return result;
}
inline int checked_removal(files::Change& change, int result) {
  if (result == 0) change.removed();
  return checked(change, result);
}

// The step of opening a file with these flags.
void step_of_opening(int directory, const char* path, int flags, uintptr_t pc);
// Opening with these flags may change or make the file.
bool opens_to_change(int directory, const char* path, int flags);
// An ordinary file is about to be read: says so if an earlier run wrote it.
void note_reading(int directory, const char* path);

}  // namespace jostle::rt
