// SPDX-License-Identifier: Apache-2.0
// Defined above, in api/ready.cc, where the call is.
#pragma once

namespace jostle::rt {

// A program that is to call jostle_ready() and ends without: nothing has been searched, and that
// has to be said.
void note_end_without_ready();

}  // namespace jostle::rt
