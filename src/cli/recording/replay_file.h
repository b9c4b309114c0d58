// SPDX-License-Identifier: Apache-2.0
// replay.json: writing and reading. The format is described in docs/replay-format.md.
//
// Written with one segment of the schedule per line, so that two recordings can be compared with
// diff. Read without trust: whatever is in the file, the answer is a recording that fits the
// channel or one line that says what is wrong and where.
#pragma once

#include <string>

#include "src/cli/recording/recording.h"
#include "src/cli/support/error.h"
#include "src/report/model/names/names.h"
#include "src/report/symbols/symbolizer.h"

namespace jostle::cli {

inline constexpr char kReplayFormat[] = "jostle-replay";
inline constexpr int kReplayVersion = 1;
inline constexpr char kReplayFileName[] = "replay.json";
// As it was found, where replay.json has been minimised.
inline constexpr char kOriginalFileName[] = "replay-original.json";
// A schedule that passes, which the explanation speaks of.
inline constexpr char kPassingFileName[] = "replay-passing.json";

// The file's text. Source lines and routine names are notes for the reader; they are looked up in
// the run that `names` and `symbols` belong to, which must be a run of the same schedule.
std::string replay_text(const Recording& recording, report::Symbolizer& symbols,
                        report::Names& names);

// "signed", "unsigned", "example".
std::string_view draw_kind_name(channel::DrawKind kind);

// Reads and checks a file; given a folder, the replay.json in it.
Result<Recording> load_replay_file(const std::string& path);

// The same from a text; `name` is what messages call it.
Result<Recording> parse_replay(const std::string& text, const std::string& name);

}  // namespace jostle::cli
