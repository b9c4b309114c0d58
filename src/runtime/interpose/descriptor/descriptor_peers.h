// SPDX-License-Identifier: Apache-2.0
// Which sockets are connected to a socket of this same process.
//
// Waiting for one of those is waiting for another thread. A socket counts as inside as soon as a
// thread of this process has connected or sent to its address; until then it is the outside's.
#pragma once

#include <sys/socket.h>

namespace jostle::rt {

// `fd` has got a local address.
void note_bound(int fd);
// `fd` is connected to `address`, or is about to be (a stream), or (not `connects`) sends a
// datagram to it.
void note_connected(int fd, const sockaddr* address, socklen_t length, bool connects);
void note_accepted(int listener, int fd);

}  // namespace jostle::rt
