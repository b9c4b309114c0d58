// SPDX-License-Identifier: Apache-2.0
// Files that runs change are put back after each, so that every run of a campaign finds the file
// system as the first one did, and the user finds it as it was. Used by the runtime after every
// run, and by the command when the process that ran did not get to it.
//
// Nothing is put back where that could harm: see `left_alone` of the records. Content is written
// in place, so that hard links and permissions stay; what was removed or replaced comes back by a
// rename, at once or not at all.
#pragma once

#include "src/schedule/file_journal.h"

namespace jostle::files {

// A path is about to be created, changed or removed. Made before the call that does it.
class Change {
 public:
  // `follows`: the call goes where a symbolic link leads.
  Change(channel::FileJournal* journal, int directory, const char* path, bool follows);
  // The call failed: nothing was changed.
  void failed();
  // It removed the name: what is found there later is somebody else's, until the run makes it
  // again.
  void removed();

 private:
  channel::FileJournal* journal_;
  channel::FileRecord* record_ = nullptr;
  bool touched_first_ = false;  // in this run
  bool doubted_ = false;        // by this change: somebody else has made or changed the file
  uint32_t was_removed_ = 0;
};

// The run is over.
void put_back(channel::FileJournal& journal);

// A run is about to read the file: the record if earlier runs wrote it and it was not put back.
const channel::FileRecord* written_before(const channel::FileJournal& journal, int directory,
                                          const char* path);

}  // namespace jostle::files
