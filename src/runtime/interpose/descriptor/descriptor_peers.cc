// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/descriptor_peers.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "src/base/hash.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/oracle/failure.h"

namespace jostle::rt {
namespace {

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
  sockaddr_un local;
  sockaddr_storage storage;
};

bool is_loopback(const in6_addr& address) {
  if (IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_UNSPECIFIED(&address)) return true;
  return IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127;
}

// A hash of an address on this machine: the path of a local socket, type and port of a network one
// (127.0.0.1, ::1 and "any" are the same). 0: no address, or one of another machine.
uint64_t hash_of(const Address& address, socklen_t length, int type) {
  switch (length >= sizeof(sa_family_t) ? address.any.sa_family : AF_UNSPEC) {
    case AF_UNIX: {
      const size_t prefix = offsetof(sockaddr_un, sun_path);
      if (length <= prefix) return 0;
      const char* path = address.local.sun_path;
      const size_t room = length - prefix;
      return fnv1a(path, path[0] ? strnlen(path, room) : room) | 1;
    }
    case AF_INET: {
      const uint32_t host = ntohl(address.v4.sin_addr.s_addr);
      const bool here = host >> 24 == 127 || host == INADDR_ANY;
      return here && address.v4.sin_port ? uint64_t{address.v4.sin_port} << 8 | uint64_t(type) << 32
                                         : 0;
    }
    case AF_INET6:
      return is_loopback(address.v6.sin6_addr) && address.v6.sin6_port
                 ? uint64_t{address.v6.sin6_port} << 8 | uint64_t(type) << 32
                 : 0;
    default:
      return 0;
  }
}

uint64_t local_address(int fd) {
  Address address = {};
  socklen_t length = sizeof address;
  if (REAL(getsockname)(fd, &address.any, &length) != 0) return 0;
  return hash_of(address, length, socket_type(fd));
}

uint64_t peer_address(int fd) {
  Address address = {};
  socklen_t length = sizeof address;
  if (REAL(getpeername)(fd, &address.any, &length) != 0) return 0;
  return hash_of(address, length, socket_type(fd));
}

uint32_t g_connections = 0;

// Sockets of this process with that address become inside; the youngest is who is meant. (Older
// ones are closed already, or share a port and look alike.)
KernelObject* reach_inside(uint64_t address) {
  struct Search {
    uint64_t address;
    KernelObject* youngest;
  } search = {address, nullptr};
  if (!address) return nullptr;
  find_object(
      [](const KernelObject& object, void* context) {
        Search& s = *static_cast<Search*>(context);
        if (object.address != s.address || object.awaits_accept || !is_private(object))
          return false;
        auto& match = const_cast<KernelObject&>(object);
        if (!match.inside) classification_changed();
        match.inside = true;
        if (!s.youngest || match.id > s.youngest->id) s.youngest = &match;
        return false;
      },
      &search);
  return search.youngest;
}

// The connection that accept() on the listener `id` has just returned: by its address when it has
// one, otherwise the one that has waited longest.
KernelObject* awaiting(uint32_t id, uint64_t address) {
  struct Search {
    uint32_t listener;
    uint64_t address;
    KernelObject* best;
  } search = {id, address, nullptr};
  find_object(
      [](const KernelObject& object, void* context) {
        Search& s = *static_cast<Search*>(context);
        if (object.awaits_accept && object.address == s.address &&
            (object.address || object.listener == s.listener) &&
            (!s.best || object.order < s.best->order)) {
          s.best = const_cast<KernelObject*>(&object);
        }
        return false;
      },
      &search);
  return search.best;
}

// Nobody listens there: known at once on this machine, also to who does not wait for the
// connection.
bool is_refused(int fd, int type) {
  tcp_info info;
  socklen_t size = sizeof info;
  return type == SOCK_STREAM && REAL(getsockopt)(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state == TCP_CLOSE;
}

}  // namespace

void note_bound(int fd) {
  const int saved = errno;
  if (KernelObject* object = object_of(fd)) object->address = local_address(fd);
  errno = saved;
}

void note_connected(int fd, const sockaddr* address, socklen_t length, bool connects) {
  const int saved = errno;
  KernelObject* self = object_of(fd);
  Address to = {};
  memcpy(&to, address, length < sizeof to ? length : sizeof to);
  const int type = socket_type(fd);
  const KernelObject* peer = reach_inside(hash_of(to, length, type));
  // The kernel orders it: what came before is known to who accepts the connection, or gets this.
  if (peer) g_races.release(name_of(*peer));
  if (type == SOCK_DGRAM && self && connects) {
    self->peer = peer ? name_of(*peer) : 0;
    note_flags_changed(fd);  // it is to be looked at anew
  }
  if (!peer) {
    if (!is_refused(fd, type)) note_uncontrolled(channel::kExternalSocket);
  } else if (self && self->made_here) {
    if (!self->inside) classification_changed();
    self->inside = true;
    self->address = local_address(fd);
    if (type != SOCK_DGRAM) {
      self->awaits_accept = true;
      self->listener = peer->id;
      self->order = ++g_connections;
    }
  }
  errno = saved;
}

void note_accepted(int listener, int fd) {
  const int saved = errno;
  note_socket(fd);
  const KernelObject* server = object_of(listener);
  KernelObject* client = server ? awaiting(server->id, peer_address(fd)) : nullptr;
  KernelObject* self = object_of(fd);
  if (client && self) {
    client->awaits_accept = false;
    self->inside = true;
    self->id = client->id;  // one connection, one name
  }
  errno = saved;
}

}  // namespace jostle::rt
