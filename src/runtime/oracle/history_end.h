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

}  // namespace jostle::rt
