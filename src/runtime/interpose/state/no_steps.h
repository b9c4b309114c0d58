// SPDX-License-Identifier: Apache-2.0
// For hooks that are no scheduling points although they change what all threads see: what libc
// keeps, names that it draws. In which order threads make such calls is not explored, and who
// claims to know all executions has to say so.
#pragma once

#include "src/runtime/hook/hook.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/sharing.h"

namespace jostle::rt {

inline void is_no_step() {
  if (controlled() && g_actions.active() && several_threads()) g_actions.assume(kCallsAreNoSteps);
}

}  // namespace jostle::rt
