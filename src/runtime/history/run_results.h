// SPDX-License-Identifier: Apache-2.0
// How the run came out, and whether that is right: schedule/history/result_of_run.h. What a run
// prints goes into a file of ours meanwhile.
#pragma once

#include "src/schedule/history/result_of_run.h"

namespace jostle::rt {

// Of the last run that has come to its end; null: it has not.
const ResultOfRun* last_result();

// From the next run on these bytes are part of the result, whichever thread writes them. False:
// they are already.
bool look_at_word(const WrittenWord& word);

// What several threads use in other runs is part of the result. For who looks at one schedule
// alone: which memory is shared is otherwise learned from run to run, and a failure would not show
// again.
void learn_words();

// From here on what the program prints is kept for the result; with `pass_on` it is also printed,
// when the run is over.
void keep_output(bool pass_on);

}  // namespace jostle::rt
