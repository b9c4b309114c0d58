// SPDX-License-Identifier: Apache-2.0
// The campaign: one run after another, each under a schedule of its own, in the target's process.
#pragma once

namespace jostle::engine {

// Called in place of main(). In `run` and `replay` mode it sets up the one run and returns. In
// `fuzz` mode it forks a child per schedule; it returns in each child and never in the parent.
void run_campaign();

}  // namespace jostle::engine
