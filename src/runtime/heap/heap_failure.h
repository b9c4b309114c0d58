// SPDX-License-Identifier: Apache-2.0
// How wrong use of the heap ends a run. What is recorded of it is known above (oracle/failure.cc),
// where these are defined.
#pragma once

#include <cstdint>

#include "src/schedule/operation.h"

namespace jostle::rt {

// The program frees what it must not, at `pc`; glibc would abort here.
[[noreturn]] void fail_heap(const char* what, const void* block, uintptr_t pc);
// It touches memory of the heap that is not its own.
[[noreturn]] void fail_heap_access(const char* what, OpKind kind, uintptr_t address, uintptr_t size,
                                   uintptr_t pc);

}  // namespace jostle::rt
