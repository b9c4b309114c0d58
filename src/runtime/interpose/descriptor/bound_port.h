// SPDX-License-Identifier: Apache-2.0
// Ports that a program asks for by their number. Runs of a campaign come fast one after the other,
// and workers run side by side: what the one before or beside has is soon free, and that it is not
// yet is nothing that the program should hear of.
#pragma once

#include <sys/socket.h>

namespace jostle::rt {

void begin_ports_run();

// bind(), in turn with others. An address that the process itself has is taken, as ever.
int bind_in_turn(int fd, const sockaddr* address, socklen_t length);

}  // namespace jostle::rt
