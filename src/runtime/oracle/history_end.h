// SPDX-License-Identifier: Apache-2.0
// Defined above, in history/run_history.cc.
#pragma once

namespace jostle::rt {

// Nobody can go on, in the middle of an operation of a test's history.
enum class WaitingEnd {
  not_asked,  // there is none
  right,      // so it is in one of the runs that show what is right
  wrong,
};
WaitingEnd end_of_waiting();

// Nobody can go on, or those who can get nowhere: is that so because others have been stopped by a
// test of progress?
enum class ProgressEnd {
  not_asked,  // none has
  wrong,      // the operation has broken its promise
  not_known,  // it may just be long
};
ProgressEnd end_of_progress(bool is_at_limit);

}  // namespace jostle::rt
