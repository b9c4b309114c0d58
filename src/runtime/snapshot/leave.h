// SPDX-License-Identifier: Apache-2.0
// The way out of a run.
//
// Where every run has a process of its own, a run ends with the process. In a process that is
// rewound it ends by going back to the engine, from wherever it is: another fiber, a signal
// handler, the middle of a libc function. What it leaves behind is rewound.
#pragma once

#include <cstdint>

namespace jostle::rt {

enum class Leaving : uint32_t {
  ended,          // the record says how
  needs_process,  // it was about to do what cannot be undone: see `why_process_needed`
};

// True between enter_run and the end of that run.
bool in_process_run();

// Back to the engine. Only in an in-process run.
[[noreturn]] void leave_run(Leaving how);

// Ends the process, or the run if the process goes on: the record is complete.
[[noreturn]] void end_process_or_run(int exit_status);

// The program is about to do what a rewind cannot undo. In an in-process run this does not return:
// the run is done again in a process of its own. `why` completes "the program …".
void needs_own_process(const char* why);
const char* why_process_needed();

// ---- for the engine

// Leaves the program's main thread and goes on with `engine` on a stack of the engine's own.
// Returns when the engine resumes the program, as often as it does.
void start_engine(void (*engine)());
// Resumes the program where it called start_engine. Returns when its run leaves.
Leaving enter_run();
// Resumes the program for good: in this process there is no way back.
[[noreturn]] void become_run();
// Where main's stack ends that belongs to the program before the run: what is deeper is the run's.
uintptr_t main_stack_pointer();

}  // namespace jostle::rt
