// SPDX-License-Identifier: Apache-2.0
// What the process may do, for calls that are not made but whose errors the program shall see.
#pragma once

namespace jostle::rt {

// One of CAP_…, effective now.
bool has_capability(int capability);

}  // namespace jostle::rt
