// SPDX-License-Identifier: Apache-2.0
// A recorded schedule in another build of its program: threads by what they were started with,
// preemptions by the names of their places (report/model/switch_places.h).
//
// Numbers of events are looked up in a recorded run of the new build, which is a run of another
// schedule: behind the first switch that is another one, its numbers may be others, too. So this
// is done again with the run that follows the answer, until nothing changes any more.
#pragma once

#include <string>
#include <vector>

#include "src/cli/recording/recording.h"
#include "src/cli/recording/schedule_log.h"
#include "src/cli/target/execution.h"

namespace jostle::cli {

struct ByNames {
  ScheduleLog log;  // for the strategy replay, which follows it loosely
  std::vector<std::string> missing =
      {};  // what of the recording the run does not have, a clause each
};

// The numbers of the recording as they are. Segments that end in a wait have no end: a thread
// that waits somewhere else now is followed until there.
ScheduleLog by_numbers(const Recording& recording);

ByNames by_names(const Recording& recording, const Execution& run);

bool same_segments(const ScheduleLog& a, const ScheduleLog& b);

}  // namespace jostle::cli
