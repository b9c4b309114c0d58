// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jostle::rt {

// Before the first call of a string hook: finds libc's own.
void init_strings();

}  // namespace jostle::rt
