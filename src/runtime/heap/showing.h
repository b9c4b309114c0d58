// SPDX-License-Identifier: Apache-2.0
// Defined above, in api/draw_calls.cc.
#pragma once

namespace jostle::rt {

// A text is being made of a drawn value: what is allocated now is not the program's.
bool is_showing();

}  // namespace jostle::rt
