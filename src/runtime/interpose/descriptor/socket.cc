// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/bound_port.h"
#include "src/runtime/interpose/descriptor/descriptor_peers.h"
#include "src/runtime/interpose/descriptor/descriptor_vector.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/io_fault.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/file_changes.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/races.h"

extern "C" [[noreturn]] void __chk_fail();

namespace jostle::rt {
namespace {

// Has the program ever set a time-out? Saves a system call per operation otherwise.
bool g_timeouts_used = false;

int integer_option(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  REAL(getsockopt)(fd, SOL_SOCKET, option, &value, &size);
  return value;
}

Nanoseconds deadline_of(const Descriptor& socket, int option) {
  if (!g_timeouts_used || socket.kind != DescriptorKind::socket) return kNever;
  timeval timeout = {};
  socklen_t size = sizeof timeout;
  REAL(getsockopt)(socket.number, SOL_SOCKET, option, &timeout, &size);
  if (timeout.tv_sec == 0 && timeout.tv_usec == 0) return kNever;
  return deadline_after({.tv_sec = timeout.tv_sec, .tv_nsec = timeout.tv_usec * 1000});
}

bool is_stream(int fd) { return socket_type(fd) == SOCK_STREAM; }

ssize_t fail(int error) {
  errno = error;
  return -1;
}

// What a wait means for the call: go on, or fail with errno set. A call with a time-out is never
// restarted after a signal.
bool may_go_on(Wake wake, Nanoseconds deadline) {
  if (wake == Wake::ready) return true;
  errno = wake == Wake::timeout ? EAGAIN : EINTR;
  return wake == Wake::signalled && deadline == kNever && try_again_after_signal();
}

// ---- receiving ----------------------------------------------------------------------------------

// Waits until there is something to receive. False: the call fails with errno.
bool wait_for_data(const Descriptor& socket, Nanoseconds deadline, uintptr_t pc) {
  const Operation op = {.kind = OpKind::io_read, .object = socket.object, .pc = pc};
  for (;;) {
    const Wake wake = wait_for_descriptor(op, socket.number, POLLIN, {.deadline = deadline});
    if (wake == Wake::ready) return true;
    if (!may_go_on(wake, deadline)) return false;
  }
}

// `receive(socket, flags)` is the real call; `flags` are the program's.
template <typename Receive>
ssize_t receive_when_ready(int fd, int flags, uintptr_t pc, Receive&& receive) {
  const Descriptor socket = look_at(fd);
  const bool waits = socket.blocks() && socket.kind == DescriptorKind::socket &&
                     !(flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB));
  if (!waits) {
    cancellation_point();
    g_scheduler.reach({.kind = OpKind::io_read, .object = socket.object, .pc = pc});
    const ssize_t result = receive(socket, flags);
    if (result >= 0) descriptors_changed();
    return result;
  }
  const Nanoseconds deadline = receive_deadline(socket);
  for (;;) {
    if (!wait_for_data(socket, deadline, pc)) return -1;
    const ssize_t result = receive(socket, flags | MSG_DONTWAIT);
    if (result < 0 && errno == EAGAIN) continue;
    if (result >= 0) descriptors_changed();
    return result;
  }
}

void open_address(sockaddr* address, socklen_t* length) {
  if (!address || !length) return;
  image_open(address, *length);
  image_open(length, sizeof *length);
}

ssize_t receive_bytes(int fd, void* buffer, size_t size, int flags, sockaddr* from,
                      socklen_t* from_length, uintptr_t pc) {
  const bool all = (flags & MSG_WAITALL) && !(flags & MSG_PEEK) && is_stream(fd);
  size_t received = 0;
  image_open(buffer, size);
  open_address(from, from_length);
  do {
    const auto receive = [&](const Descriptor& socket, int real_flags) -> ssize_t {
      const size_t allowed = all ? size - received : bytes_allowed(socket, size - received, false);
      if (allowed == 0 && size > received) return -1;
      return REAL(recvfrom)(fd, static_cast<char*>(buffer) + received, allowed, real_flags, from,
                            from_length);
    };
    const ssize_t piece = receive_when_ready(fd, flags, pc, receive);
    if (piece <= 0) return received ? static_cast<ssize_t>(received) : piece;
    kernel_access(true, static_cast<char*>(buffer) + received, static_cast<size_t>(piece), pc);
    received += static_cast<size_t>(piece);
  } while (all && received < size);
  return static_cast<ssize_t>(received);
}

size_t size_of(const msghdr& message) {
  size_t size = 0;
  for (size_t i = 0; i < message.msg_iovlen; ++i) size += message.msg_iov[i].iov_len;
  return size;
}

// f(credentials) for each sender's that go with the message.
template <typename F>
void for_each_credentials(msghdr& message, F&& f) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    ucred credentials;
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS ||
        part->cmsg_len < CMSG_LEN(sizeof credentials)) {
      continue;
    }
    memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
    f(credentials);
    memcpy(CMSG_DATA(part), &credentials, sizeof credentials);
  }
}

void show_credentials(msghdr& message) {
  for_each_credentials(message, [](ucred& sender) { sender.pid = as_program_sees(sender.pid); });
}

ssize_t receive_message(int fd, msghdr* message, int flags, uintptr_t pc) {
  const bool all = (flags & MSG_WAITALL) && !(flags & MSG_PEEK) && is_stream(fd);
  image_open(message, sizeof *message);
  image_open(message->msg_name, message->msg_namelen);
  image_open(message->msg_control, message->msg_controllen);
  for (size_t i = 0; i < message->msg_iovlen; ++i) {
    image_open(message->msg_iov[i].iov_base, message->msg_iov[i].iov_len);
  }
  const ssize_t first =
      receive_when_ready(fd, flags, pc, [&](const Descriptor& socket, int real_flags) -> ssize_t {
        // Of one buffer a part may come; of several all that is there, or nothing yet.
        const bool one = message->msg_iovlen == 1 && !all;
        const size_t size = one ? message->msg_iov[0].iov_len : 0;
        const size_t allowed = bytes_allowed(socket, size, false);
        if (allowed == size) return REAL(recvmsg)(fd, message, real_flags);
        if (allowed == 0) return -1;
        message->msg_iov[0].iov_len = allowed;
        const ssize_t result = REAL(recvmsg)(fd, message, real_flags);
        message->msg_iov[0].iov_len = size;
        return result;
      });
  if (first >= 0) show_credentials(*message);
  if (!all || first <= 0 || static_cast<size_t>(first) == size_of(*message)) return first;
  // The rest, without addresses and control data.
  IoVector left;
  if (!left.assign(message->msg_iov, static_cast<int>(message->msg_iovlen))) return first;
  auto received = static_cast<size_t>(first);
  left.skip(received);
  while (left.size() > 0) {
    const auto receive = [&](const Descriptor&, int real_flags) {
      msghdr rest = {};
      rest.msg_iov = const_cast<iovec*>(left.parts());
      rest.msg_iovlen = static_cast<size_t>(left.count());
      return REAL(recvmsg)(fd, &rest, real_flags);
    };
    const ssize_t piece = receive_when_ready(fd, flags, pc, receive);
    if (piece <= 0) break;
    received += static_cast<size_t>(piece);
    left.skip(static_cast<size_t>(piece));
  }
  return static_cast<ssize_t>(received);
}

// ---- sending ------------------------------------------------------------------------------------

// One attempt that returns instead of waiting. The broken connection's signal is ours to send: it
// belongs to the thread, of which the kernel knows nothing.
ssize_t send_piece(const Descriptor& socket, const msghdr& message, int flags) {
  return REAL(sendmsg)(socket.number, &message, flags | MSG_NOSIGNAL);
}

ssize_t sent_or_error(const Descriptor& socket, ssize_t result, int flags) {
  if (result < 0 && errno == EPIPE && !(flags & MSG_NOSIGNAL) && is_stream(socket.number)) {
    signal_self(SIGPIPE);
    errno = EPIPE;
  }
  return result;
}

void note_destination(int fd, const msghdr& message) {
  if (message.msg_name && socket_type(fd) == SOCK_DGRAM) {
    note_connected(fd, static_cast<const sockaddr*>(message.msg_name), message.msg_namelen, false);
  }
}

}  // namespace

Nanoseconds receive_deadline(const Descriptor& socket) { return deadline_of(socket, SO_RCVTIMEO); }
Nanoseconds send_deadline(const Descriptor& socket) { return deadline_of(socket, SO_SNDTIMEO); }

ssize_t send_message(const Descriptor& socket, const msghdr& message, int flags, uintptr_t pc) {
  const Operation op = {.kind = OpKind::io_write, .object = socket.object, .pc = pc};
  for (size_t i = 0; i < message.msg_iovlen; ++i) {
    kernel_access(false, message.msg_iov[i].iov_base, message.msg_iov[i].iov_len, pc);
  }
  cancellation_point();
  g_scheduler.reach(op);
  note_destination(socket.number, message);
  if (socket.peer) g_races.release(socket.peer);
  const Nanoseconds deadline = send_deadline(socket);
  const bool waits = socket.blocks() && !(flags & MSG_DONTWAIT);
  msghdr rest = message;
  // A copy: what the program has said of itself is the program's.
  alignas(cmsghdr) char control[1024];
  if (rest.msg_control && rest.msg_controllen <= sizeof control) {
    rest.msg_control = memcpy(control, rest.msg_control, rest.msg_controllen);
    for_each_credentials(rest, [](ucred& own) { own.pid = as_kernel_knows(own.pid); });
  }
  IoVector left;
  const bool pieces = waits && message.msg_iovlen <= IOV_MAX &&
                      left.assign(message.msg_iov, static_cast<int>(message.msg_iovlen)) &&
                      is_stream(socket.number);
  size_t sent = 0;
  iovec part;
  if (message.msg_iovlen == 1 && message.msg_controllen == 0) {
    part = message.msg_iov[0];
    const size_t allowed = bytes_allowed(socket, part.iov_len, true);
    if (allowed == 0 && part.iov_len != 0) return -1;
    part.iov_len = allowed;
    if (!pieces) rest.msg_iov = &part;
  }
  for (;;) {
    const ssize_t piece = send_piece(socket, rest, waits ? flags | MSG_DONTWAIT : flags);
    if (piece < 0 && errno == EAGAIN && waits) {
      const Wake wake = wait_for_descriptor(op, socket.number, POLLOUT,
                                            {.deadline = deadline, .until_any_use = true});
      if (wake == Wake::ready) continue;
      if (sent) return static_cast<ssize_t>(sent);
      if (!may_go_on(wake, deadline)) return -1;
      continue;
    }
    if (piece < 0) return sent ? static_cast<ssize_t>(sent) : sent_or_error(socket, piece, flags);
    descriptors_changed();
    sent += static_cast<size_t>(piece);
    if (!pieces) return piece;
    left.skip(static_cast<size_t>(piece));
    if (left.size() == 0) return static_cast<ssize_t>(sent);
    rest = {};  // control data went with the first piece
    rest.msg_iov = const_cast<iovec*>(left.parts());
    rest.msg_iovlen = static_cast<size_t>(left.count());
  }
}

namespace {

ssize_t send_bytes(int fd, const void* data, size_t size, int flags, const sockaddr* to,
                   socklen_t to_length, uintptr_t pc) {
  iovec part = {const_cast<void*>(data), size};
  msghdr message = {};
  message.msg_name = const_cast<sockaddr*>(to);
  message.msg_namelen = to ? to_length : 0;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return send_message(look_at(fd), message, flags, pc);
}

// ---- connecting ---------------------------------------------------------------------------------

// connect() that returns instead of waiting, whatever the descriptor's flags are.
int connect_now(const Descriptor& socket, const sockaddr* address, socklen_t length) {
  if (!socket.blocks()) return REAL(connect)(socket.number, address, length);
  const int flags = REAL(fcntl)(socket.number, F_GETFL);
  REAL(fcntl)(socket.number, F_SETFL, flags | O_NONBLOCK);
  const int result = REAL(connect)(socket.number, address, length);
  const int saved = errno;
  REAL(fcntl)(socket.number, F_SETFL, flags);
  errno = saved;
  return result;
}

int finish_connecting(const Descriptor& socket, const Operation& op, Nanoseconds deadline) {
  // On this machine it is complete already, unless the other end's queue is full; then the kernel
  // tries again in real time.
  pollfd now = {socket.number, POLLOUT, 0};
  while (REAL(poll)(&now, 1, 0) == 0) {
    const Wake wake =
        wait_for_descriptor(op, socket.number, POLLOUT, {.deadline = deadline, .external = true});
    if (wake == Wake::ready) break;
    if (wake == Wake::timeout) return static_cast<int>(fail(EINPROGRESS));
    if (!may_go_on(wake, deadline)) return -1;
  }
  const int error = integer_option(socket.number, SO_ERROR);
  return error ? static_cast<int>(fail(error)) : 0;
}

int connect_and_wait(int fd, const sockaddr* address, socklen_t length, uintptr_t pc) {
  const Descriptor socket = look_at(fd);
  const Operation op = {.kind = OpKind::io_write, .object = socket.object, .pc = pc};
  const Nanoseconds deadline = send_deadline(socket);
  cancellation_point();
  g_scheduler.reach(op);
  for (;;) {
    int result = connect_now(socket, address, length);
    if (result == 0 || errno == EINPROGRESS) {
      const int saved = errno;
      if (address->sa_family != AF_UNSPEC) note_connected(fd, address, length, true);
      descriptors_changed();
      errno = saved;
      if (result == 0 || !socket.blocks()) return result;
      result = finish_connecting(socket, op, deadline);
      if (result == 0) descriptors_changed();
      return result;
    }
    if (!socket.blocks()) return result;
    if (errno == EALREADY) return finish_connecting(socket, op, deadline);
    if (errno != EAGAIN) return result;
    // A local socket whose queue of connections is full: until somebody accepts one.
    const Wake wake =
        wait_for_descriptors(op, nullptr, 0, {.deadline = deadline, .until_any_use = true});
    if (!may_go_on(wake, deadline)) return -1;
  }
}

int accept_when_ready(int fd, sockaddr* address, socklen_t* length, int flags, uintptr_t pc) {
  open_address(address, length);
  const Descriptor listener = look_at(fd);
  if (listener.blocks() && listener.kind == DescriptorKind::socket &&
      integer_option(fd, SO_ACCEPTCONN)) {
    if (!wait_for_data(listener, receive_deadline(listener), pc)) return -1;
  } else {
    cancellation_point();
    g_scheduler.reach({.kind = OpKind::io_read, .object = listener.object, .pc = pc});
  }
  const int accepted = REAL(accept4)(fd, address, length, flags);
  if (accepted >= 0) {
    has_made_descriptor();
    note_closed(accepted);
    note_accepted(fd, accepted);
    descriptors_changed();
  }
  return accepted;
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK ssize_t recv(int fd, void* buffer, size_t size, int flags) {
  if (!controlled()) return REAL(recv)(fd, buffer, size, flags);
  return receive_bytes(fd, buffer, size, flags, nullptr, nullptr, CALLER());
}
JOSTLE_ALIAS(__recv, recv);

JOSTLE_HOOK ssize_t recvfrom(int fd, void* buffer, size_t size, int flags, sockaddr* from,
                             socklen_t* from_length) {
  if (!controlled()) return REAL(recvfrom)(fd, buffer, size, flags, from, from_length);
  return receive_bytes(fd, buffer, size, flags, from, from_length, CALLER());
}

JOSTLE_HOOK ssize_t __recv_chk(int fd, void* buffer, size_t size, size_t room, int flags) {
  if (size > room) __chk_fail();
  if (!controlled()) return REAL(recv)(fd, buffer, size, flags);
  return receive_bytes(fd, buffer, size, flags, nullptr, nullptr, CALLER());
}

JOSTLE_HOOK ssize_t __recvfrom_chk(int fd, void* buffer, size_t size, size_t room, int flags,
                                   sockaddr* from, socklen_t* from_length) {
  if (size > room) __chk_fail();
  if (!controlled()) return REAL(recvfrom)(fd, buffer, size, flags, from, from_length);
  return receive_bytes(fd, buffer, size, flags, from, from_length, CALLER());
}

JOSTLE_HOOK ssize_t recvmsg(int fd, msghdr* message, int flags) {
  if (!controlled()) return REAL(recvmsg)(fd, message, flags);
  return receive_message(fd, message, flags, CALLER());
}

JOSTLE_HOOK int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  if (!controlled()) return REAL(recvmmsg)(fd, messages, count, flags, timeout);
  if (timeout && !valid(*timeout)) return static_cast<int>(fail(EINVAL));
  const Nanoseconds deadline = timeout ? deadline_after(*timeout) : kNever;
  int real_flags = flags & ~MSG_WAITFORONE;
  unsigned received = 0;
  while (received < count) {
    mmsghdr& next = messages[received];
    const ssize_t size = receive_message(fd, &next.msg_hdr, real_flags, CALLER());
    if (size < 0) return received ? static_cast<int>(received) : -1;
    next.msg_len = static_cast<unsigned>(size);
    ++received;
    if (flags & MSG_WAITFORONE) real_flags |= MSG_DONTWAIT;
    // As the kernel does: the time is looked at only after a message has come.
    if (g_scheduler.now() >= deadline) break;
  }
  return static_cast<int>(received);
}

JOSTLE_HOOK ssize_t send(int fd, const void* data, size_t size, int flags) {
  if (!controlled()) return REAL(send)(fd, data, size, flags);
  return send_bytes(fd, data, size, flags, nullptr, 0, CALLER());
}
JOSTLE_ALIAS(__send, send);

JOSTLE_HOOK ssize_t sendto(int fd, const void* data, size_t size, int flags, const sockaddr* to,
                           socklen_t to_length) {
  if (!controlled()) return REAL(sendto)(fd, data, size, flags, to, to_length);
  return send_bytes(fd, data, size, flags, to, to_length, CALLER());
}

JOSTLE_HOOK ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  if (!controlled()) return REAL(sendmsg)(fd, message, flags);
  return send_message(look_at(fd), *message, flags, CALLER());
}

JOSTLE_HOOK int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  if (!controlled()) return REAL(sendmmsg)(fd, messages, count, flags);
  unsigned sent = 0;
  for (; sent < count; ++sent) {
    const ssize_t size = send_message(look_at(fd), messages[sent].msg_hdr, flags, CALLER());
    if (size < 0) return sent ? static_cast<int>(sent) : -1;
    messages[sent].msg_len = static_cast<unsigned>(size);
  }
  return static_cast<int>(sent);
}

JOSTLE_HOOK int connect(int fd, const sockaddr* address, socklen_t length) {
  if (!controlled() || !address) return REAL(connect)(fd, address, length);
  return connect_and_wait(fd, address, length, CALLER());
}
JOSTLE_ALIAS(__connect, connect);

JOSTLE_HOOK int accept(int fd, sockaddr* address, socklen_t* length) {
  if (!controlled()) return REAL(accept)(fd, address, length);
  return accept_when_ready(fd, address, length, 0, CALLER());
}

JOSTLE_HOOK int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
  if (!controlled()) return REAL(accept4)(fd, address, length, flags);
  return accept_when_ready(fd, address, length, flags, CALLER());
}

// ---- calls that never wait ----------------------------------------------------------------------

JOSTLE_HOOK int socket(int domain, int type, int protocol) noexcept {
  makes_descriptor(CALLER());
  const int fd = REAL(socket)(domain, type, protocol);
  if (controlled() && fd >= 0) {
    note_closed(fd);
    note_socket(fd);
  }
  return fd;
}

JOSTLE_HOOK int socketpair(int domain, int type, int protocol, int fds[2]) noexcept {
  if (controlled()) image_open(fds, 2 * sizeof *fds);
  makes_descriptor(CALLER());
  const int result = REAL(socketpair)(domain, type, protocol, fds);
  if (controlled() && result == 0) {
    kernel_access(true, fds, 2 * sizeof *fds, CALLER());
    note_closed(fds[0]);
    note_closed(fds[1]);
    note_socket_pair(fds[0], fds[1]);
  }
  return result;
}

JOSTLE_HOOK int bind(int fd, const sockaddr* address, socklen_t length) noexcept {
  // A local one with a name is a file.
  char path[sizeof(sockaddr_un::sun_path) + 1] = {};
  if (controlled() && address && length > offsetof(sockaddr_un, sun_path) &&
      length <= sizeof(sockaddr_un) && address->sa_family == AF_UNIX) {
    memcpy(path, reinterpret_cast<const sockaddr_un*>(address)->sun_path,
           length - offsetof(sockaddr_un, sun_path));
  }
  // Others may have the name, or look for it.
  if (controlled()) {
    g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(fd).object, .pc = CALLER()});
  }
  jostle::files::Change change = changes_file(AT_FDCWD, path, kItself);
  const int result = checked(
      change, controlled() ? bind_in_turn(fd, address, length) : REAL(bind)(fd, address, length));
  if (controlled() && result == 0) note_bound(fd);
  return result;
}

JOSTLE_HOOK int listen(int fd, int backlog) noexcept {
  if (!controlled()) return REAL(listen)(fd, backlog);
  g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(fd).object, .pc = CALLER()});
  const int result = REAL(listen)(fd, backlog);
  if (result == 0) note_bound(fd);  // listening without bind picks a port
  return result;
}

JOSTLE_HOOK int shutdown(int fd, int how) noexcept {
  if (!controlled()) return REAL(shutdown)(fd, how);
  g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(fd).object, .pc = CALLER()});
  const int result = REAL(shutdown)(fd, how);
  descriptors_changed();
  return result;
}

JOSTLE_HOOK int setsockopt(int fd, int level, int option, const void* value,
                           socklen_t length) noexcept {
  if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO)) {
    g_timeouts_used = true;
  }
  if (controlled()) {
    g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(fd).object, .pc = CALLER()});
  }
  return REAL(setsockopt)(fd, level, option, value, length);
}
