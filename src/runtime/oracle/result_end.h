// SPDX-License-Identifier: Apache-2.0
// For functions that are to look atomic: moments that matter for how the run came out. Defined
// above, in history/run_results.cc.
#pragma once

#include "src/base/kept.h"

namespace jostle::rt {

// Somebody asks how runs come out.
extern JOSTLE_HIDDEN bool g_results_wanted;

void begin_result();
// The running thread is the only one again.
void threads_have_ended();
// The run has come to its end by itself. Fails it unless that is right.
void judge_result();
// What was printed so far is printed.
void pass_on_output();

}  // namespace jostle::rt
