// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/target_hub.h"

#include <sys/mman.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/runtime/libc/real.h"

namespace jostle::rt {

JOSTLE_KEPT Hub* g_hub = nullptr;

void open_hub(int descriptor) {
  if (descriptor == 0) return;
  void* p = REAL(mmap)(nullptr, sizeof(Hub), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                       descriptor, 0);
  REAL(close)(descriptor);
  if (p == MAP_FAILED) return;
  note_shared_engine_memory(p, sizeof(Hub));
  g_hub = static_cast<Hub*>(p);
}

}  // namespace jostle::rt
