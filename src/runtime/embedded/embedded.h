// SPDX-License-Identifier: Apache-2.0
// Control inside a process that is somebody else's: a fuzzer's (include/jostle/control.h).
//
// There is no command, no channel and no way back to before a run; the process, its heap, its
// signals and its other threads are not ours. So much is different from a program under the
// command:
//
//   * control begins and ends with jostle_run; in between, threads of the process that we did not
//     create stay what they were: `controlled()` is true on our own kernel thread only
//   * the heap is libc's outside of runs and ours inside; each block goes back where it came from
//   * what a run learns about shared memory is forgotten with it, and everything but the own stack
//     is presumed to be shared: then the same bytes make the same decisions in every process,
//     whatever was run there before
//   * thread-specific keys are libc's, because they may be older than our control
//   * a failure is written to standard error, and then the process aborts: under the handlers that
//     were there before
#pragma once

namespace jostle::rt {

// Our handlers in front of those that are there now. Once.
void chain_fatal_signals();

// One paragraph about the failed run on standard error.
void tell_embedded_failure();

}  // namespace jostle::rt
