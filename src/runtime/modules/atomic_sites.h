// SPDX-License-Identifier: Apache-2.0
// Atomic instructions that nobody sees: of libraries that were built without us, and in inline
// assembly. They may order threads, but only when they run, and most programs that link such a
// library never come to them.
//
// On x86-64 the first byte of each is made one that is no instruction. When one is about to run the
// handler of SIGILL puts all of them back, and from then on orders are unseen. Only the first byte:
// code may jump behind the prefix `lock`.
#pragma once

#include <link.h>
#include <ucontext.h>

#include "src/runtime/modules/function_table.h"

namespace jostle::rt {

// Adds those of a module. False: they cannot be watched, because there are too many (then some will
// run), or because one may be something else than an instruction. Nothing is changed yet.
bool note_atomic_sites(const dl_phdr_info& module, const FunctionTable& functions);

// False: the kernel does not let us, and nothing is changed.
bool watch_atomic_sites();

// All are what they were; and forgotten.
void unwatch_atomic_sites();
void forget_atomic_sites();

// For the handler of SIGILL: true when it was one of these, which is what it was, as are all
// others.
bool atomic_site_runs(const ucontext_t& context);

}  // namespace jostle::rt
