// SPDX-License-Identifier: Apache-2.0
// The process that knows what operations may return, or how a program may come out whose functions
// look atomic: a child of the target, made before the first run. It makes runs with threads that
// change only between operations, or outside of those functions (strategy/serial), from the same
// start as the target's runs, and answers while those wait.
#pragma once

namespace jostle::engine {

// Does nothing unless somebody will ask. In the child it returns true, once for every run
// that is to begin.
bool become_reference_or_start_it();

}  // namespace jostle::engine
