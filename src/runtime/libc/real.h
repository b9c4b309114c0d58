// SPDX-License-Identifier: Apache-2.0
// The functions of libc behind our hooks, for code that must not reach the hooks.
#pragma once

#include "src/base/kept.h"

// The next definition of the function behind ours: libc's. A plain static pointer instead of a
// guarded one: the guard functions are hooks themselves.
#define REAL(function)                                                                        \
  (*[] {                                                                                      \
    static decltype(&::function) next JOSTLE_KEPT;                                            \
    if (!next)                                                                                \
      next = reinterpret_cast<decltype(&::function)>(jostle::rt::next_definition(#function)); \
    return next;                                                                              \
  }())

namespace jostle::rt {

// dlsym(RTLD_NEXT); ends the process with a clear line when there is none.
void* next_definition(const char* name);

}  // namespace jostle::rt
