// SPDX-License-Identifier: Apache-2.0
// What the target's process consists of: the program and its libraries.
#pragma once

#include <string>
#include <vector>

#include "src/schedule/channel.h"

namespace jostle::cli {

// Those that are neither instrumented nor the system's, by name: what they do is not seen.
std::vector<std::string> unseen_modules(const channel::Channel& channel);

// All of them, and where they are, a line each: "libc.so.6 7ffff7c00000-7ffff7dd5000 1922136".
std::string library_list(const channel::Channel& channel);

}  // namespace jostle::cli
