// SPDX-License-Identifier: Apache-2.0
// Is there nobody but our one kernel thread who could touch what the program's threads touch? Then
// nothing can come between an ordinary load and store: an atomic instruction would only wait for
// all stores before it.
//
// Not so in somebody else's process (src/runtime/embedded), nor once the program has mapped memory
// that another process may have, too.
#pragma once

#include "src/base/kept.h"

namespace jostle::rt {

extern JOSTLE_HIDDEN bool g_memory_is_private;

// From now on, for as long as the process lives.
inline void note_memory_of_others() { g_memory_is_private = false; }

}  // namespace jostle::rt
