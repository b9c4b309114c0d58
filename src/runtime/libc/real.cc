// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/libc/real.h"

#include <stdio.h>

extern "C" void* dlsym(void*, const char*) noexcept;

namespace jostle::rt {

void* next_definition(const char* name) {
  void* const kNext = reinterpret_cast<void*>(-1l);  // RTLD_NEXT
  void* p = dlsym(kNext, name);
  if (!p) {
    fprintf(stderr, "jostle: libc has no %s\n", name);
    __builtin_trap();
  }
  return p;
}

}  // namespace jostle::rt
