// SPDX-License-Identifier: Apache-2.0
// All that a replay needs to do a run again: what replay.json holds, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/recording/schedule_log.h"
#include "src/cli/target/target.h"
#include "src/report/model/switch_places.h"
#include "src/schedule/config.h"
#include "src/schedule/run_end.h"

namespace jostle::cli {

struct RecordedProgram {
  std::string given;  // as typed
  std::string absolute;
  std::vector<std::string> arguments;  // without the program itself
  std::string directory;               // where it was started
  std::string build_id;                // empty: none
  std::string hash;                    // of the content; empty when there is a build id
  uint64_t size = 0;
  std::string check = {};  // the jostle::check in it that was explored; empty: all of it
  std::string test = {};   // the test that the arguments choose, see each_test.h; empty: none
};

// What the program reads from descriptor 0.
struct RecordedInput {
  enum class Kind {
    nothing,  // /dev/null
    inherit,  // whatever it is when replayed: the recording could not keep it
    bytes,
  };
  Kind kind = Kind::nothing;
  std::string bytes = {};
  // Much input is kept in a file of its own next to replay.json: its name, and the hash of `bytes`.
  std::string file = {};
  std::string hash = {};
};

// More than this is kept in a file of its own.
inline constexpr size_t kMostInlineInput = 64 << 10;

std::string hash_of_bytes(const std::string& bytes);

struct Recording {
  std::string jostle_version;
  RecordedProgram program;
  RecordedInput input;
  channel::Config config = {};    // strategy, seed, clock, limits, accepted exit codes
  uint64_t schedule_number = 0;   // of the campaign; 0: a single run
  uint64_t signature = 0;         // in this build
  channel::Failure failure = {};  // stack and addresses are not kept
  ScheduleLog log = {};
  // The schedule was made smaller: what it was before, and where that is kept, next to this file.
  struct Original {
    uint64_t preemptions = 0, segments = 0;
    bool is_minimum = false;  // and now there is none with fewer
    std::string file = {};
  };
  std::optional<Original> original = {};
  std::string why = {};                  // a note for the reader
  std::vector<uint32_t> why_steps = {};  // of the trace, that it speaks of
  std::string passes_with = {};          // the change it speaks of, see strategy/guided/claim.h
  uint64_t identity = 0;                 // over builds, see report/model/identity.h; 0: not known
  std::vector<std::string> values = {};  // another: what the input was, "a = 10"
  std::string summary = {};              // of one that was read: what happened, as it was reported
  // What lasts over builds, of a recording that was read: where the segments of `log` end (those
  // that are preempted), and what its threads were started with. Empty: not known.
  std::vector<report::SwitchName> switches = {};
  std::vector<std::string> starts = {};
};

RecordedProgram record_program(const Target& target, const std::vector<std::string>& arguments);

// Is this file the program of the recording?
bool is_same_program(const RecordedProgram& recorded, const Target& target);

// "0.1.0" of this build.
std::string own_version();

}  // namespace jostle::cli
