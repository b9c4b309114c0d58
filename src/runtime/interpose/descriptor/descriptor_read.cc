// SPDX-License-Identifier: Apache-2.0
// Reading from descriptors.
#include <errno.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/io_fault.h"
#include "src/runtime/interpose/descriptor/socket.h"
#include "src/runtime/interpose/descriptor/timer_descriptor.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/memory/access.h"

extern "C" [[noreturn]] void __chk_fail();

namespace jostle::rt {
namespace {

// Scheduling point, wait if the descriptor blocks, then `call`, which finds something there.
template <typename Call>
ssize_t read_when_ready(int fd, uintptr_t pc, Call&& call) {
  const Descriptor source = look_at(fd);
  const Operation op = {.kind = OpKind::io_read, .object = source.object, .pc = pc};
  if (source.blocks() && source.readable) {
    const DescriptorWait options = {.deadline = receive_deadline(source)};
    for (;;) {
      const Wake wake = wait_for_descriptor(op, fd, POLLIN, options);
      if (wake == Wake::timeout) {
        errno = EAGAIN;
        return -1;
      }
      if (wake == Wake::ready) break;
      if (options.deadline != kNever || !try_again_after_signal()) {
        errno = EINTR;
        return -1;
      }
    }
  } else {
    cancellation_point();
    g_scheduler.reach(op);
    if (is_timer(fd)) {
      g_scheduler.read_clock();  // a loop that waits for the timer this way has to end
      fire_due_timers();
    }
  }
  const ssize_t result = call(source);
  if (source.is_channel() && result >= 0) descriptors_changed();
  return result;
}

ssize_t read_bytes(int fd, void* buffer, size_t size, uintptr_t pc) {
  return read_when_ready(fd, pc, [&](const Descriptor& source) -> ssize_t {
    image_open(buffer, size);
    const size_t allowed = bytes_allowed(source, size, false);
    if (allowed == 0) return -1;
    if (is_random_descriptor(fd)) {
      fill_with_random(buffer, allowed);
      return static_cast<ssize_t>(allowed);
    }
    const ssize_t result = REAL(read)(fd, buffer, allowed);
    if (result > 0) kernel_access(true, buffer, static_cast<size_t>(result), pc);
    return result;
  });
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK ssize_t read(int fd, void* buffer, size_t size) {
  if (!controlled() || size == 0) return REAL(read)(fd, buffer, size);
  return read_bytes(fd, buffer, size, CALLER());
}
JOSTLE_ALIAS(__read, read);

JOSTLE_HOOK ssize_t __read_chk(int fd, void* buffer, size_t size, size_t room) {
  if (size > room) __chk_fail();
  if (!controlled() || size == 0) return REAL(read)(fd, buffer, size);
  return read_bytes(fd, buffer, size, CALLER());
}

namespace {
ssize_t read_vector(int fd, const iovec* parts, int count, uintptr_t pc) {
  return read_when_ready(fd, pc, [&](const Descriptor&) {
    for (int i = 0; i < count; ++i) image_open(parts[i].iov_base, parts[i].iov_len);
    const ssize_t result = REAL(readv)(fd, parts, count);
    auto left = static_cast<size_t>(result > 0 ? result : 0);
    for (int i = 0; i < count && left; ++i) {
      const size_t part = left < parts[i].iov_len ? left : parts[i].iov_len;
      kernel_access(true, parts[i].iov_base, part, pc);
      left -= part;
    }
    return result;
  });
}
}  // namespace

JOSTLE_HOOK ssize_t readv(int fd, const iovec* parts, int count) {
  if (!controlled()) return REAL(readv)(fd, parts, count);
  return read_vector(fd, parts, count, CALLER());
}

// Without a position it is readv.
JOSTLE_HOOK ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  if (!controlled() || offset != -1 || flags != 0) {
    return REAL(preadv2)(fd, parts, count, offset, flags);
  }
  return read_vector(fd, parts, count, CALLER());
}
JOSTLE_ALIAS(preadv64v2, preadv2);

JOSTLE_HOOK int eventfd_read(int fd, eventfd_t* value) {
  if (!controlled()) return REAL(eventfd_read)(fd, value);
  return read_bytes(fd, value, sizeof *value, CALLER()) == sizeof *value ? 0 : -1;
}

// With a position: regular files only, which never block.
#define POSITIONED_READ(function, position)                                               \
  JOSTLE_HOOK ssize_t function(int fd, void* buffer, size_t size, position offset) {      \
    if (!controlled()) return REAL(function)(fd, buffer, size, offset);                   \
    cancellation_point();                                                                 \
    image_open(buffer, size);                                                             \
    g_scheduler.reach(                                                                    \
        {.kind = jostle::OpKind::io_read, .object = look_at(fd).object, .pc = CALLER()}); \
    const ssize_t result = REAL(function)(fd, buffer, size, offset);                      \
    if (result > 0) kernel_access(true, buffer, static_cast<size_t>(result), CALLER());   \
    return result;                                                                        \
  }
POSITIONED_READ(pread, off_t)
POSITIONED_READ(pread64, off64_t)
#undef POSITIONED_READ
