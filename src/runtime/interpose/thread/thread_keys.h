// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jostle::rt {

// The keys and values of the calling thread from before it was controlled.
void adopt_thread_keys();

}  // namespace jostle::rt
