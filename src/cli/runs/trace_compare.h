// SPDX-License-Identifier: Apache-2.0
// Do two runs of the same schedule do the same? And where do they part?
#pragma once

#include <optional>
#include <string>

#include "src/schedule/channel.h"

namespace jostle::cli {

// Nothing when the traces, the schedules and the ends are equal; otherwise where they first differ,
// in words. Addresses count only inside modules, relative to them.
std::optional<std::string> first_difference(const channel::Channel& a, const channel::Channel& b);

}  // namespace jostle::cli
