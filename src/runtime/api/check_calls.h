// SPDX-License-Identifier: Apache-2.0
// A check: a stretch of an ordinary program that is explored by itself.
#pragma once

#include "src/schedule/channel.h"

namespace jostle::rt {

// The process was started to do one check only, under the command's control: "name#2".
void await_check(const char* name, channel::Channel* channel);

}  // namespace jostle::rt
