// SPDX-License-Identifier: Apache-2.0
// What many runs of one program read from descriptor 0.
//
// Every run of a campaign has to see the same input from its beginning. A file can be opened again;
// a pipe cannot, so it is read to its end once and kept in a file without a name. A terminal
// becomes /dev/null: a campaign is not interactive.
#pragma once

#include "src/cli/recording/recording.h"
#include "src/cli/support/descriptor.h"
#include "src/cli/support/error.h"

namespace jostle::cli {

struct StandardInput {
  Descriptor file;       // to be the target's descriptor 0
  bool is_file = false;  // runs may open it again to start at its beginning
  // A device that is neither terminal nor /dev/null: passed on as it is, cannot be recorded.
  bool is_device = false;
};

// Makes ready what we have on descriptor 0. Waits for the end of a pipe.
Result<StandardInput> prepare_input();

// The same file once more, at its beginning and with a position of its own: processes that read
// from it side by side do not take each other's input. Not valid when there is no room for a copy.
Descriptor reopen(int fd);

// What a recording keeps of it. A device, or more than a gigabyte, gives Kind::inherit.
RecordedInput record_input(const StandardInput& input);

// The recorded input as a descriptor; not valid for Kind::inherit.
Result<Descriptor> open_recorded(const RecordedInput& input);

// Descriptor 0 of a single run that is to be recorded: only a file can be.
RecordedInput record_inherited_input();

}  // namespace jostle::cli
