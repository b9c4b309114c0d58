// SPDX-License-Identifier: Apache-2.0
// Blocking calls on sockets.
#pragma once

#include <sys/socket.h>

#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/scheduler/thread.h"

namespace jostle::rt {

// When a read from it, or a write to it, gives up: SO_RCVTIMEO and SO_SNDTIMEO in virtual time.
// kNever for what is no socket.
Nanoseconds receive_deadline(const Descriptor& socket);
Nanoseconds send_deadline(const Descriptor& socket);

// sendmsg on a socket: waits and goes on until all is sent, as the descriptor and the flags say.
ssize_t send_message(const Descriptor& socket, const msghdr& message, int flags, uintptr_t pc);

}  // namespace jostle::rt
