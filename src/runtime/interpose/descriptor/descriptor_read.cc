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
void open_parts(const iovec* parts, int count) {
  for (int i = 0; i < count; ++i) image_open(parts[i].iov_base, parts[i].iov_len);
}

// The first `size` bytes of the parts were written by the kernel; none where it failed.
void parts_written(const iovec* parts, int count, ssize_t size, uintptr_t pc) {
  auto left = static_cast<size_t>(size > 0 ? size : 0);
  for (int i = 0; i < count && left; ++i) {
    const size_t part = left < parts[i].iov_len ? left : parts[i].iov_len;
    kernel_access(true, parts[i].iov_base, part, pc);
    left -= part;
  }
}

ssize_t read_vector(int fd, const iovec* parts, int count, uintptr_t pc) {
  return read_when_ready(fd, pc, [&](const Descriptor&) {
    open_parts(parts, count);
    const ssize_t result = REAL(readv)(fd, parts, count);
    parts_written(parts, count, result, pc);
    return result;
  });
}

// With a position: regular files only, which never block.
template <typename Call>
ssize_t read_at_position(int fd, const iovec* parts, int count, uintptr_t pc, Call call) {
  if (!controlled()) return call();
  cancellation_point();
  open_parts(parts, count);
  g_scheduler.reach({.kind = jostle::OpKind::io_read, .object = look_at(fd).object, .pc = pc});
  const ssize_t result = call();
  parts_written(parts, count, result, pc);
  return result;
}
}  // namespace

JOSTLE_HOOK ssize_t readv(int fd, const iovec* parts, int count) {
  if (!controlled()) return REAL(readv)(fd, parts, count);
  return read_vector(fd, parts, count, CALLER());
}

// Without a position it is readv.
JOSTLE_HOOK ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  if (controlled() && offset == -1 && flags == 0) return read_vector(fd, parts, count, CALLER());
  return read_at_position(fd, parts, count, CALLER(),
                          [&] { return REAL(preadv2)(fd, parts, count, offset, flags); });
}
JOSTLE_ALIAS(preadv64v2, preadv2);

JOSTLE_HOOK ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  return read_at_position(fd, parts, count, CALLER(),
                          [&] { return REAL(preadv)(fd, parts, count, offset); });
}
JOSTLE_ALIAS(preadv64, preadv);

namespace {
ssize_t read_bytes_at_position(int fd, void* buffer, size_t size, off_t offset, uintptr_t pc) {
  const iovec part = {buffer, size};
  return read_at_position(fd, &part, 1, pc, [&] { return REAL(pread)(fd, buffer, size, offset); });
}
}  // namespace

JOSTLE_HOOK ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  return read_bytes_at_position(fd, buffer, size, offset, CALLER());
}
JOSTLE_ALIAS(pread64, pread);
JOSTLE_HOOK ssize_t __pread_chk(int fd, void* buffer, size_t size, off_t offset, size_t room) {
  if (size > room) __chk_fail();
  return read_bytes_at_position(fd, buffer, size, offset, CALLER());
}
JOSTLE_ALIAS(__pread64_chk, __pread_chk);

JOSTLE_HOOK int eventfd_read(int fd, eventfd_t* value) {
  if (!controlled()) return REAL(eventfd_read)(fd, value);
  return read_bytes(fd, value, sizeof *value, CALLER()) == sizeof *value ? 0 : -1;
}
