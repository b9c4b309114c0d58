// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/memory/private_memory.h"

namespace jostle::rt {

JOSTLE_KEPT bool g_memory_is_private = true;

}  // namespace jostle::rt
