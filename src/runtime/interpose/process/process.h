// SPDX-License-Identifier: Apache-2.0
// What has to be done before a process is created, and first of all in it.
#pragma once

namespace jostle::rt {

void before_child();

// Once, before the program can register a handler of its own (pthread_atfork): ours is asked first.
void be_first_in_children();

}  // namespace jostle::rt
