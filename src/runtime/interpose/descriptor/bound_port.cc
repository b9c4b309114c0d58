// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/bound_port.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <iterator>

#include "src/base/hash.h"
#include "src/base/kept.h"
#include "src/runtime/libc/real.h"
#include "src/runtime/scheduler/scheduler.h"
#include "src/runtime/snapshot/kernel_state.h"

namespace jostle::rt {
namespace {

// Somebody else who has it longer than this is no run of ours: it is not waited for again.
constexpr int kMostAttempts = 2000;
constexpr long kBetweenAttempts = 1'000'000;  // nanoseconds
JOSTLE_KEPT bool g_is_hopeless = false;

template <typename Attempt>
bool wait_for(Attempt&& attempt) {
  for (int i = 0; i < (g_is_hopeless ? 1 : kMostAttempts); ++i) {
    if (attempt()) return true;
    const timespec moment = {0, kBetweenAttempts};
    REAL(nanosleep)(&moment, nullptr);
  }
  g_is_hopeless = true;
  return false;
}

// A name that one process at a time can have: who has it uses the ports of this program until its
// run is over and its descriptors are closed. With SO_REUSEADDR two could bind the same port, and
// clients of the one reach the other.
void take_turn() {
  char program[512] = {};
  const ssize_t length = REAL(readlink)("/proc/self/exe", program, sizeof program);
  sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = {}};
  const uint64_t hash = fnv1a(program, length > 0 ? static_cast<size_t>(length) : 0);
  snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "jostle-ports-%016llx",
           static_cast<unsigned long long>(hash));
  const int fd = REAL(socket)(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const int turn = REAL(fcntl)(fd, F_DUPFD_CLOEXEC, kOutOfTheWay);
  REAL(close)(fd);
  if (turn < 0) return;
  const auto* address = reinterpret_cast<const sockaddr*>(&name);
  wait_for([&] { return REAL(bind)(turn, address, sizeof name) == 0 || errno != EADDRINUSE; });
}

// In the order of the network; 0: it has none, or any will do.
in_port_t port_of(const sockaddr* address, socklen_t length) {
  if (length >= sizeof(sockaddr_in) && address->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(address)->sin_port;
  }
  if (length >= sizeof(sockaddr_in6) && address->sa_family == AF_INET6) {
    return reinterpret_cast<const sockaddr_in6*>(address)->sin6_port;
  }
  return 0;
}

// Ports that this run has had. One that it asks for again is free or taken by what it did itself.
struct Had {
  bool has_turn;
  uint32_t count;
  in_port_t ports[64];

  bool has(in_port_t port) const {
    for (uint32_t i = 0; i < count; ++i) {
      if (ports[i] == port) return true;
    }
    return false;
  }
  void add(in_port_t port) {
    if (count < std::size(ports)) ports[count++] = port;
  }
};
JOSTLE_KEPT Had g_had = {};

}  // namespace

void begin_ports_run() {
  g_had.has_turn = false;
  g_had.count = 0;
}

int bind_in_turn(int fd, const sockaddr* address, socklen_t length) {
  const in_port_t port = address ? port_of(address, length) : 0;
  channel::Status& status = g_scheduler.channel().status;
  // A process that the run has forked is part of it, and has no turn of its own.
  const bool is_forked = status.target_pid.load(std::memory_order_relaxed) == 0;
  if (port == 0 || is_forked) return REAL(bind)(fd, address, length);
  const int saved = errno;
  status.fixed_port.store(ntohs(port), std::memory_order_relaxed);
  if (!g_had.has_turn) {
    g_had.has_turn = true;
    take_turn();
  }
  if (g_had.has(port)) {
    errno = saved;
    return REAL(bind)(fd, address, length);
  }
  // Connections of the run before may linger there. The kernel lets another have the port if both
  // were willing: also those of this run will linger.
  const int yes = 1;
  REAL(setsockopt)(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  int result = -1, reason = 0;
  wait_for([&] {
    result = REAL(bind)(fd, address, length);
    reason = errno;
    return result == 0 || reason != EADDRINUSE;
  });
  if (result == 0) g_had.add(port);
  errno = result == 0 ? saved : reason;
  return result;
}

}  // namespace jostle::rt
