// SPDX-License-Identifier: Apache-2.0
// How runs inside somebody else's process end. Defined above, in embedded/.
#pragma once

namespace jostle::rt {

// The run has failed, and its record says how: the process dies of `signal`, for the fuzzer to see.
[[noreturn]] void fail_embedded_run(int signal);

// The program ends the process from inside a run: what follows is none of ours.
void end_embedded_control();

}  // namespace jostle::rt
