// SPDX-License-Identifier: Apache-2.0
// Writing to descriptors.
//
// POSIX lets a blocking write return only when all is written; here the thread waits between the
// pieces that fit, while the others read.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/buffers/format_arguments.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_vector.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/io_fault.h"
#include "src/runtime/interpose/descriptor/socket.h"
#include "src/runtime/interpose/descriptor/timer_descriptor.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/access.h"

namespace jostle::rt {
namespace {

// O_NONBLOCK for the time of one call.
class WithoutBlocking {
 public:
  explicit WithoutBlocking(int fd) : fd_(fd), flags_(REAL(fcntl)(fd, F_GETFL)) {
    if (!(flags_ & O_NONBLOCK)) REAL(fcntl)(fd_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~WithoutBlocking() {
    const int saved = errno;
    if (!(flags_ & O_NONBLOCK)) REAL(fcntl)(fd_, F_SETFL, flags_);
    errno = saved;
  }
  WithoutBlocking(const WithoutBlocking&) = delete;
  WithoutBlocking& operator=(const WithoutBlocking&) = delete;

 private:
  int fd_;
  int flags_;
};

bool nobody_reads(int fd) {
  pollfd set = {fd, POLLOUT, 0};
  return REAL(poll)(&set, 1, 0) > 0 && (set.revents & POLLERR);
}

ssize_t broken_pipe(size_t written) {
  signal_self(SIGPIPE);
  if (written) return static_cast<ssize_t>(written);
  errno = EPIPE;
  return -1;
}

// One attempt to write what is left, that returns instead of waiting.
ssize_t write_piece(const Descriptor& to, const IoVector& left) {
  // poll says that there is room for a page: up to PIPE_BUF fits, and must go in one piece.
  if (to.kind == DescriptorKind::pipe && left.size() <= PIPE_BUF) {
    return REAL(writev)(to.number, left.parts(), left.count());
  }
  const WithoutBlocking flag(to.number);
  return REAL(writev)(to.number, left.parts(), left.count());
}

// A pipe or an eventfd that this process has made.
ssize_t write_all(const Descriptor& to, IoVector& left, const Operation& op) {
  size_t written = 0;
  bool fruitless = false;  // poll said there is room, but too little for this (eventfd)
  while (left.size() > 0) {
    const Wake wake = fruitless ? wait_for_descriptors(op, nullptr, 0, {.until_any_use = true})
                                : wait_for_descriptor(op, to.number, POLLOUT);
    if (wake == Wake::signalled) {
      if (written) break;
      if (!try_again_after_signal()) return -1;
      continue;
    }
    if (to.kind == DescriptorKind::pipe && nobody_reads(to.number)) return broken_pipe(written);
    const ssize_t piece = write_piece(to, left);
    fruitless = piece < 0 && errno == EAGAIN;
    if (fruitless) continue;
    if (piece < 0) return written ? static_cast<ssize_t>(written) : -1;
    descriptors_changed();
    written += static_cast<size_t>(piece);
    left.skip(static_cast<size_t>(piece));
  }
  return static_cast<ssize_t>(written);
}

// What a write to a file, to something that never blocks or to somebody outside does: the kernel's
// call as it is.
template <typename Call>
ssize_t write_directly(const Descriptor& to, const Operation& op, Call&& call) {
  cancellation_point();
  g_scheduler.reach(op);
  if (to.kind == DescriptorKind::pipe && to.writable && nobody_reads(to.number)) {
    return broken_pipe(0);
  }
  const ssize_t result = call();
  if (to.is_channel() && result >= 0) descriptors_changed();
  return result;
}

ssize_t write_vector(int fd, const iovec* parts, int count, uintptr_t pc) {
  const Descriptor to = look_at(fd);
  const Operation op = {.kind = OpKind::io_write, .object = to.object, .pc = pc};
  for (int i = 0; i < count; ++i) kernel_access(false, parts[i].iov_base, parts[i].iov_len, pc);
  if (is_timer(fd)) {
    errno = EINVAL;
    return -1;
  }
  if (to.kind == DescriptorKind::socket) {
    msghdr message = {};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = static_cast<size_t>(count);
    return send_message(to, message, 0, pc);
  }
  const bool pieces =
      to.blocks() && to.writable && to.kind != DescriptorKind::device && is_made_here(to);
  IoVector left;
  if (!pieces || !left.assign(parts, count)) {
    return write_directly(to, op, [&]() -> ssize_t {
      if (count != 1) return REAL(writev)(fd, parts, count);
      const size_t allowed = bytes_allowed(to, parts[0].iov_len, true);
      if (allowed == 0 && parts[0].iov_len != 0) return -1;
      return REAL(write)(fd, parts[0].iov_base, allowed);
    });
  }
  return write_all(to, left, op);
}

ssize_t write_bytes(int fd, const void* data, size_t size, uintptr_t pc) {
  const iovec part = {const_cast<void*>(data), size};
  return write_vector(fd, &part, 1, pc);
}

// With a position: regular files only, which never block.
void before_write_at_position(int fd, const iovec* parts, int count, uintptr_t pc) {
  if (!controlled()) return;
  cancellation_point();
  g_scheduler.reach({.kind = OpKind::io_write, .object = look_at(fd).object, .pc = pc});
  for (int i = 0; i < count; ++i) kernel_access(false, parts[i].iov_base, parts[i].iov_len, pc);
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK ssize_t write(int fd, const void* data, size_t size) {
  if (!controlled() || size == 0) return REAL(write)(fd, data, size);
  return write_bytes(fd, data, size, CALLER());
}
JOSTLE_ALIAS(__write, write);

JOSTLE_HOOK ssize_t writev(int fd, const iovec* parts, int count) {
  if (!controlled()) return REAL(writev)(fd, parts, count);
  return write_vector(fd, parts, count, CALLER());
}

JOSTLE_HOOK int eventfd_write(int fd, eventfd_t value) {
  if (!controlled()) return REAL(eventfd_write)(fd, value);
  return write_bytes(fd, &value, sizeof value, CALLER()) == sizeof value ? 0 : -1;
}

JOSTLE_HOOK ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  before_write_at_position(fd, parts, count, CALLER());
  return REAL(pwritev)(fd, parts, count, offset);
}
JOSTLE_ALIAS(pwritev64, pwritev);

// Without a position it is writev.
JOSTLE_HOOK ssize_t pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  if (controlled() && offset == -1 && flags == 0) return write_vector(fd, parts, count, CALLER());
  before_write_at_position(fd, parts, count, CALLER());
  return REAL(pwritev2)(fd, parts, count, offset, flags);
}
JOSTLE_ALIAS(pwritev64v2, pwritev2);

JOSTLE_HOOK ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  const iovec part = {const_cast<void*>(data), size};
  before_write_at_position(fd, &part, 1, CALLER());
  return REAL(pwrite)(fd, data, size, offset);
}
JOSTLE_ALIAS(pwrite64, pwrite);

// libc's own writes behind our back.
namespace {
int print(int fd, const char* format, va_list more, uintptr_t pc) {
  char* text = nullptr;
  const int size = REAL(vasprintf)(&text, format, more);
  for (int written = 0; written < size;) {
    const ssize_t piece = write_bytes(fd, text + written, static_cast<size_t>(size - written), pc);
    if (piece < 0) {
      free(text);
      return -1;
    }
    written += static_cast<int>(piece);
  }
  free(text);
  return size;
}

void read_texts(const char* format, va_list more, uintptr_t pc) {
  LibraryCall call(pc);
  before_print(call, format, more);
}
}  // namespace

JOSTLE_HOOK int vdprintf(int fd, const char* format, va_list more) {
  read_texts(format, more, CALLER());
  if (!controlled() || !look_at(fd).blocks()) return REAL(vdprintf)(fd, format, more);
  return print(fd, format, more, CALLER());
}
JOSTLE_HOOK int __vdprintf_chk(int fd, int flag, const char* format, va_list more) {
  read_texts(format, more, CALLER());
  if (!controlled() || !look_at(fd).blocks()) return REAL(__vdprintf_chk)(fd, flag, format, more);
  return print(fd, format, more, CALLER());
}
JOSTLE_HOOK int dprintf(int fd, const char* format, ...) {
  va_list more;
  va_start(more, format);
  read_texts(format, more, CALLER());
  const bool waits = controlled() && look_at(fd).blocks();
  const int result = waits ? print(fd, format, more, CALLER()) : REAL(vdprintf)(fd, format, more);
  va_end(more);
  return result;
}
JOSTLE_HOOK int __dprintf_chk(int fd, int flag, const char* format, ...) {
  va_list more;
  va_start(more, format);
  read_texts(format, more, CALLER());
  const bool waits = controlled() && look_at(fd).blocks();
  const int result =
      waits ? print(fd, format, more, CALLER()) : REAL(__vdprintf_chk)(fd, flag, format, more);
  va_end(more);
  return result;
}

// ---- from descriptor to descriptor: may move less than asked for -------------------------------

JOSTLE_HOOK ssize_t sendfile(int to, int from, off_t* offset, size_t size) noexcept {
  if (!controlled()) return REAL(sendfile)(to, from, offset, size);
  if (offset) image_open(offset, sizeof *offset);
  const Descriptor target = look_at(to);
  const Operation op = {.kind = OpKind::io_write, .object = target.object, .pc = CALLER()};
  return write_directly(target, op, [&] {
    for (;;) {
      ssize_t moved;
      if (target.blocks()) {
        const WithoutBlocking flag(to);
        moved = REAL(sendfile)(to, from, offset, size);
      } else {
        return REAL(sendfile)(to, from, offset, size);
      }
      if (moved >= 0 || errno != EAGAIN) return moved;
      const Wake wake = wait_for_descriptor(op, to, POLLOUT, {.until_any_use = true});
      if (wake == Wake::signalled && !try_again_after_signal()) return ssize_t{-1};
    }
  });
}
JOSTLE_ALIAS(sendfile64, sendfile);

JOSTLE_HOOK ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                           unsigned flags) {
  if (!controlled()) return REAL(splice)(from, from_offset, to, to_offset, size, flags);
  const Descriptor source = look_at(from);
  const Descriptor target = look_at(to);
  const bool waits = !(flags & SPLICE_F_NONBLOCK) && size > 0;
  const auto wait = [&](const Descriptor& d, OpKind kind, short events) {
    const Operation op = {.kind = kind, .object = d.object, .pc = CALLER()};
    if (!waits || !d.blocks()) {
      g_scheduler.reach(op);
      return true;
    }
    while (wait_for_descriptor(op, d.number, events) == Wake::signalled) {
      if (!try_again_after_signal()) return false;
    }
    return true;
  };
  for (;;) {
    if (!wait(source, OpKind::io_read, POLLIN) || !wait(target, OpKind::io_write, POLLOUT)) {
      return -1;
    }
    ssize_t moved;
    if (waits && target.blocks() && target.kind == DescriptorKind::socket) {
      const WithoutBlocking flag(to);
      moved = REAL(splice)(from, from_offset, to, to_offset, size, flags | SPLICE_F_NONBLOCK);
    } else {
      moved = REAL(splice)(from, from_offset, to, to_offset, size,
                           waits ? flags | SPLICE_F_NONBLOCK : flags);
    }
    if (moved >= 0) descriptors_changed();
    const bool retry =
        moved < 0 && errno == EAGAIN && waits && (source.blocks() || target.blocks());
    if (!retry) return moved;
  }
}

JOSTLE_HOOK ssize_t tee(int from, int to, size_t size, unsigned flags) {
  if (!controlled()) return REAL(tee)(from, to, size, flags);
  const bool waits = !(flags & SPLICE_F_NONBLOCK) && size > 0;
  const Descriptor source = look_at(from), target = look_at(to);
  const auto wait = [&](const Descriptor& d, OpKind kind, short events) {
    const Operation op = {.kind = kind, .object = d.object, .pc = CALLER()};
    if (!waits || !d.blocks()) {
      g_scheduler.reach(op);
      return true;
    }
    while (wait_for_descriptor(op, d.number, events) == Wake::signalled) {
      if (!try_again_after_signal()) return false;
    }
    return true;
  };
  for (;;) {
    if (!wait(source, OpKind::io_read, POLLIN) || !wait(target, OpKind::io_write, POLLOUT)) {
      return -1;
    }
    const ssize_t copied = REAL(tee)(from, to, size, flags | SPLICE_F_NONBLOCK);
    if (copied >= 0) descriptors_changed();
    const bool may_block = waits && (source.blocks() || target.blocks());
    if (copied >= 0 || errno != EAGAIN || !may_block) return copied;
  }
}

JOSTLE_HOOK ssize_t vmsplice(int fd, const iovec* pieces, size_t count, unsigned flags) {
  if (!controlled()) return REAL(vmsplice)(fd, pieces, count, flags);
  const Descriptor pipe = look_at(fd);
  const Operation op = {.kind = OpKind::io_write, .object = pipe.object, .pc = CALLER()};
  const bool waits = !(flags & SPLICE_F_NONBLOCK) && pipe.blocks();
  if (!waits) g_scheduler.reach(op);
  for (;;) {
    while (waits && wait_for_descriptor(op, fd, POLLOUT) == Wake::signalled) {
      if (!try_again_after_signal()) return -1;
    }
    const ssize_t moved =
        REAL(vmsplice)(fd, pieces, count, waits ? flags | SPLICE_F_NONBLOCK : flags);
    if (moved >= 0) descriptors_changed();
    if (moved >= 0 || errno != EAGAIN || !waits) return moved;
  }
}

JOSTLE_HOOK ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset,
                                    size_t size, unsigned flags) {
  changes_open_file(CALLER());
  return REAL(copy_file_range)(from, from_offset, to, to_offset, size, flags);
}
