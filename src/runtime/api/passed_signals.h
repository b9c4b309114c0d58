// SPDX-License-Identifier: Apache-2.0
// Signals that end the program (Ctrl-C) while a check of it is searched: the command ends the
// search and says how far it has got, then the program ends as it would have.
#pragma once

#include <sys/types.h>

namespace jostle::rt {

// From here on, for signals that would end the program; not for those that it handles itself.
void pass_signals_on_to(pid_t command);
// As before. The signal that came meanwhile, if any; 0: none.
int stop_passing_signals_on();

}  // namespace jostle::rt
