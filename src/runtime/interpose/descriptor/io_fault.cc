// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/descriptor/io_fault.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_epoll.h"

namespace jostle::rt {
namespace {

constexpr uint8_t kMostInARow = 3;

bool g_wanted = false;
RunVector<uint8_t> g_in_a_row;  // by descriptor number

// Behind the end of a stream nothing more arrives: a read that brings less than it could would say
// that there is no more (libuv takes a short read with a hang-up for the end).
bool has_ended(int fd) {
  pollfd set = {fd, POLLIN | POLLRDHUP, 0};
  return REAL(poll)(&set, 1, 0) > 0 && (set.revents & (POLLHUP | POLLRDHUP | POLLERR));
}

enum Fault : uint32_t { kNoFault, kShort, kNothingYet };

size_t short_size(size_t size) {
  switch (g_scheduler.choose(ChoiceKind::fault, size > 3 ? 3 : 1)) {
    case 1:
      return size / 2;
    case 2:
      return size - 1;
    default:
      return 1;
  }
}

}  // namespace

void begin_io_faults(bool wanted) {
  g_wanted = wanted;
  g_in_a_row.clear();
}

size_t bytes_allowed(const Descriptor& descriptor, size_t size, bool writes) {
  if (!g_wanted || size == 0 || (writes && !descriptor.nonblocking)) return size;
  if (!is_stream(descriptor) || (!writes && has_ended(descriptor.number))) return size;
  const auto i = static_cast<size_t>(descriptor.number);
  if (i >= g_in_a_row.size()) g_in_a_row.resize(i + 1);
  const bool whole =
      size == 1 || (writes && descriptor.kind == DescriptorKind::pipe && size <= PIPE_BUF);
  if (g_in_a_row[i] >= kMostInARow || (whole && !descriptor.nonblocking)) {
    g_in_a_row[i] = 0;
    return size;
  }
  uint32_t fault = g_scheduler.choose(ChoiceKind::fault, 1u + !whole + descriptor.nonblocking);
  if (whole && fault == kShort) fault = kNothingYet;
  if (fault == kNoFault) {
    g_in_a_row[i] = 0;
    return size;
  }
  ++g_in_a_row[i];
  if (fault == kShort) return short_size(size);
  epoll_owes(descriptor.number, writes ? EPOLLOUT : EPOLLIN);
  errno = EAGAIN;
  return 0;
}

}  // namespace jostle::rt
