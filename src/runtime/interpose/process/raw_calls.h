// SPDX-License-Identifier: Apache-2.0
// System calls by number that stand for functions about time, processes and scheduling.
#pragma once

namespace jostle::rt {

// True: done, with `result` and errno as syscall() gives them. False: not one of these.
bool call_about_time(long number, long a, long b, long c, long d, long e, long& result);

}  // namespace jostle::rt
