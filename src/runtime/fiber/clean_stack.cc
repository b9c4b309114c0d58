// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/fiber/clean_stack.h"

namespace jostle::rt {

JOSTLE_KEPT bool g_compares_memory = false;

}  // namespace jostle::rt
