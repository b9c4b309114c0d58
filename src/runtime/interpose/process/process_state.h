// SPDX-License-Identifier: Apache-2.0
// What other hooks say of the process as a whole.
#pragma once

namespace jostle::rt {

// The program is about to let the kernel refuse some of its system calls (seccomp), for good. Those
// that we make in its place are refused, too.
void filters_calls();

}  // namespace jostle::rt
