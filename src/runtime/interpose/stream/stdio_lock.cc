// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/stream/stdio_lock.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "src/base/check.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/actions.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/sharing.h"

namespace jostle::rt {

uint32_t g_locked_streams = 0, g_own_streams = 0;

namespace {

struct StreamLock {
  FILE* stream;
  uint32_t owner;  // index of the thread
  uint32_t depth;
};
RunVector<StreamLock> g_locks;
RunVector<FILE*> g_own;  // streams with functions of the program's own

StreamLock* lock_of(FILE* stream) {
  for (StreamLock& lock : g_locks) {
    if (lock.stream == stream) return &lock;
  }
  return nullptr;
}

bool is_free_for(FILE* stream, uint32_t thread) {
  const StreamLock* lock = lock_of(stream);
  return !lock || lock->owner == thread;
}

bool is_own(FILE* stream) {
  for (FILE* each : g_own) {
    if (each == stream) return true;
  }
  return false;
}

void take(FILE* stream, uintptr_t pc) {
  if (StreamLock* lock = lock_of(stream)) {
    JOSTLE_CHECK(lock->owner == g_current->index);
    ++lock->depth;
    return;
  }
  g_locks.push_back({stream, g_current->index, 1});
  ++g_locked_streams;
  note_acquired(reinterpret_cast<uintptr_t>(stream), OpKind::mutex_lock, pc);
  g_races.acquire(stream);
  g_scheduler.changed(stream);  // who else was about to take it must wait again
}

// Who has it first is not explored.
void note_gap(uintptr_t pc) {
  if (g_actions.active() && several_threads()) g_actions.gap(TrailGap::streams, pc);
}

void release(FILE* stream) {
  StreamLock* lock = lock_of(stream);
  if (!lock || lock->owner != g_current->index || --lock->depth > 0) return;
  *lock = g_locks.back();
  g_locks.pop_back();
  --g_locked_streams;
  g_current->held.remove(reinterpret_cast<uintptr_t>(stream));
  g_races.release(stream);
  g_scheduler.changed(stream);
}

void wait_for(const Descriptor& descriptor, OpKind kind, short events, uintptr_t pc) {
  const int saved = errno;
  const Operation op = {.kind = kind, .object = descriptor.object, .pc = pc};
  // A handler that interrupts the wait has run: the call itself would be restarted, or see EINTR
  // only if it had to wait again.
  while (wait_for_descriptor(op, descriptor.number, events) == Wake::signalled) {
  }
  errno = saved;
}

void wait_until_free(FILE* stream, uintptr_t pc) {
  const uint32_t self = g_current->index;
  if (is_free_for(stream, self)) return;
  note_gap(pc);
  g_scheduler.wait(operation(OpKind::mutex_lock, stream, pc),
                   [stream, self] { return is_free_for(stream, self); });
}

constexpr size_t kPage = 4096;  // so much fits when poll says that something does

}  // namespace

void StreamCall::begin(FILE* stream, uintptr_t pc) {
  wait_until_free(stream, pc);
  if (!is_own(stream)) return;
  note_gap(pc);
  hold(stream, pc);
}

void StreamCall::moves_in(FILE* stream, uintptr_t pc) {
  StateStep(OpKind::state_write, SharedState::file_content, pc).moves_in(stream);
  wait_until_free(stream, pc);
}

void StreamCall::hold(FILE* stream, uintptr_t pc) {
  if (held_ || g_scheduler.live_threads() == 1) return;
  take(stream, pc);
  held_ = stream;
}

void StreamCall::end() { release(held_); }

void forget_stream(FILE* stream) {
  for (FILE*& each : g_own) {
    if (each != stream) continue;
    each = g_own.back();
    g_own.pop_back();
    --g_own_streams;
    return;
  }
}

bool input_may_block(FILE* stream, size_t wanted, int end) {
  const auto available = static_cast<size_t>(stream->_IO_read_end - stream->_IO_read_ptr);
  if (stream->_fileno < 0 || available >= wanted) return false;
  if (end >= 0 && available && memchr(stream->_IO_read_ptr, end, available)) return false;
  return look_at(stream->_fileno).blocks();
}

bool wait_for_input(FILE* stream, uintptr_t pc) {
  if (stream->_IO_read_ptr < stream->_IO_read_end || stream->_fileno < 0 || feof(stream)) {
    return false;
  }
  const Descriptor descriptor = look_at(stream->_fileno);
  if (descriptor.blocks()) wait_for(descriptor, OpKind::io_read, POLLIN, pc);
  return descriptor.is_channel();
}

int next_byte(FILE* stream, uintptr_t pc) {
  const bool is_channel = wait_for_input(stream, pc);
  const int byte = REAL(getc)(stream);
  if (is_channel) descriptors_changed();
  return byte;
}

bool is_written_in_pages(FILE* stream) {
  if (!is_opened_by_program(stream->_fileno) || g_scheduler.live_threads() == 1) return false;
  if (!__fwritable(stream)) return false;
  const Descriptor descriptor = look_at(stream->_fileno);
  if (!descriptor.blocks() || !is_stream(descriptor)) return false;
  if (is_made_here(descriptor)) return true;
  const KernelObject* const pipe = object_with(descriptor.file);
  return pipe && pipe->writers != 0;  // a named one, whose reader may be a thread, too
}

bool stays_in_buffer(FILE* stream, size_t size) {
  constexpr int kUnbuffered = 2;  // libc's _IO_UNBUFFERED
  if (stream->_mode > 0 || __flbf(stream) != 0 || (stream->_flags & kUnbuffered) != 0) return false;
  const size_t room = __fbufsize(stream);
  return __fpending(stream) + size < (room == 0 ? kPage : room);  // 0: it has none so far
}

namespace {

void wait_for_room(FILE* stream, uintptr_t pc) {
  wait_for(look_at(stream->_fileno), OpKind::io_write, POLLOUT, pc);
}

// A buffer of more than a page is written here, page by page. What goes wrong is left to libc.
void write_large_buffer(FILE* stream, uintptr_t pc) {
  const bool is_large = stream->_mode <= 0 && __fbufsize(stream) > kPage;
  while (is_large && __fpending(stream) != 0) {
    wait_for_room(stream, pc);
    pollfd set = {stream->_fileno, POLLOUT, 0};
    if (REAL(poll)(&set, 1, 0) <= 0 || (set.revents & (POLLERR | POLLNVAL)) != 0) return;
    const size_t pending = __fpending(stream);
    const ssize_t written =
        REAL(write)(stream->_fileno, stream->_IO_write_base, pending < kPage ? pending : kPage);
    if (written <= 0) return;
    const auto left = pending - static_cast<size_t>(written);
    memmove(stream->_IO_write_base, stream->_IO_write_base + written, left);
    stream->_IO_write_ptr = stream->_IO_write_base + left;
    descriptors_changed();
  }
}

}  // namespace

void before_output(FILE* stream, size_t size, uintptr_t pc) {
  if (stays_in_buffer(stream, size) || !is_written_in_pages(stream)) return;
  write_large_buffer(stream, pc);
  if (!stays_in_buffer(stream, size)) wait_for_room(stream, pc);
}

void before_flush(FILE* stream, uintptr_t pc) {
  // Of wide characters some may have been converted already, which is not visible.
  if (__fpending(stream) == 0 && stream->_mode <= 0) return;
  if (!is_written_in_pages(stream)) return;
  write_large_buffer(stream, pc);
  if (__fpending(stream) != 0 || stream->_mode > 0) wait_for_room(stream, pc);
}

void after_output(FILE* stream) {
  if (is_opened_by_program(stream->_fileno)) descriptors_changed();
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK FILE* fopencookie(void* cookie, const char* mode,
                              cookie_io_functions_t functions) noexcept {
  FILE* stream = REAL(fopencookie)(cookie, mode, functions);
  if (!stream || !controlled()) return stream;
  __fsetlocking(stream, FSETLOCKING_BYCALLER);
  g_own.push_back(stream);
  ++g_own_streams;
  return stream;
}

JOSTLE_HOOK void flockfile(FILE* stream) noexcept {
  if (!controlled()) return REAL(flockfile)(stream);
  const uint32_t self = g_current->index;
  g_scheduler.wait(operation(OpKind::mutex_lock, stream, CALLER()),
                   [stream, self] { return is_free_for(stream, self); });
  take(stream, CALLER());
  note_gap(CALLER());
}

JOSTLE_HOOK int ftrylockfile(FILE* stream) noexcept {
  if (!controlled()) return REAL(ftrylockfile)(stream);
  g_scheduler.reach(operation(OpKind::mutex_trylock, stream, CALLER()));
  if (!is_free_for(stream, g_current->index)) {
    g_scheduler.note_in_vain(reinterpret_cast<uintptr_t>(stream));
    return EBUSY;
  }
  take(stream, CALLER());
  note_gap(CALLER());
  return 0;
}

JOSTLE_HOOK void funlockfile(FILE* stream) noexcept {
  if (!controlled()) return REAL(funlockfile)(stream);
  g_scheduler.reach(operation(OpKind::mutex_unlock, stream, CALLER()));
  release(stream);
}
