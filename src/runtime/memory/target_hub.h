// SPDX-License-Identifier: Apache-2.0
// The campaign's hub as the target process sees it.
#pragma once

#include "src/base/kept.h"
#include "src/schedule/hub.h"

namespace jostle::rt {

// Null when there is none: a single run.
extern JOSTLE_HIDDEN Hub* g_hub;

// Maps it and closes the descriptor; 0: there is none.
void open_hub(int descriptor);

}  // namespace jostle::rt
