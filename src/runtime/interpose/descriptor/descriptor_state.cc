// SPDX-License-Identifier: Apache-2.0
// Making, duplicating and closing descriptors.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/early_descriptors.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"
#include "src/schedule/descriptor_use.h"

extern "C" int fcntl64(int fd, int command, ...);

namespace jostle::rt {
namespace {

// Who locks a file comes behind all who have unlocked one, or closed it with its locks. (Those of
// F_SETLK belong to the whole process and order no threads.)
const char g_file_locks = 0;

void reach_change(int fd, uintptr_t pc, uint32_t what = kChangesDescriptor) {
  g_scheduler.reach(
      {.kind = OpKind::io_write, .size = what, .object = look_at(fd).object, .pc = pc});
  g_races.release(&g_file_locks);
}

int note_duplicate(int from, int to) {
  if (controlled() && to >= 0 && to != from) {
    note_closed(to);
    note_duplicated(from, to);
  }
  return to;
}

int duplicate_onto(int from, int to, int result) {
  if (!controlled()) return result;
  note_duplicate(from, result);
  if (result == to) descriptors_changed();  // what `to` was before is closed
  return result;
}

int note_pipe_ends(const int ends[2], int result, uintptr_t pc) {
  if (controlled() && result == 0) {
    kernel_access(true, ends, 2 * sizeof *ends, pc);
    note_closed(ends[0]);
    note_closed(ends[1]);
    note_pipe(ends[0]);
    note_made(ends[0]);
    note_made(ends[1]);
  }
  return result;
}

void note_range_closed(unsigned first, unsigned last) {
  if (!controlled()) return;
  constexpr unsigned kMost = 1 << 16;  // more than that are not kept by number in practice
  for (unsigned fd = first; fd <= last && fd < kMost; ++fd) note_closed(static_cast<int>(fd));
  descriptors_changed();
}

// ---- locks on files: others may be held by other processes, so that they count as outside ------

enum class Among { threads, processes };

template <typename Attempt>
int try_lock_file(int fd, uintptr_t pc, Among among, Attempt&& attempt) {
  reach_change(fd, pc);
  const int result = attempt();
  if (result == 0 && among == Among::threads) g_races.acquire(&g_file_locks);
  descriptors_changed();
  return result;
}

template <typename Attempt>
int lock_file(int fd, uintptr_t pc, Among among, Attempt&& attempt) {
  const Operation op = {.kind = OpKind::io_wait, .object = look_at(fd).object, .pc = pc};
  g_scheduler.reach(op);
  g_races.release(&g_file_locks);
  for (;;) {
    const int result = attempt();
    if (result == 0) {
      if (among == Among::threads) g_races.acquire(&g_file_locks);
      descriptors_changed();  // an unlocking, or an exchange for a weaker lock
      return 0;
    }
    if (errno != EAGAIN && errno != EACCES) return result;
    const Wake wake =
        wait_for_outside(op, [](void*) { return true; }, nullptr, {.until_any_use = true});
    if (wake == Wake::signalled && !try_again_after_signal()) return -1;
  }
}

// The process that has a lock in the way of what was asked for.
int show_holder(struct flock* lock, int result) {
  if (result == 0 && lock->l_type != F_UNLCK) lock->l_pid = as_program_sees(lock->l_pid);
  return result;
}

int control(int fd, int command, void* argument, uintptr_t pc) {
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      makes_descriptor(pc);
      return note_duplicate(fd, REAL(fcntl)(fd, command, argument));
    case F_SETLKW:
      return lock_file(fd, pc, Among::processes,
                       [&] { return REAL(fcntl)(fd, F_SETLK, argument); });
    case F_OFD_SETLKW:
      return lock_file(fd, pc, Among::threads,
                       [&] { return REAL(fcntl)(fd, F_OFD_SETLK, argument); });
    case F_SETLK:
    case F_OFD_SETLK:
      return try_lock_file(fd, pc, command == F_OFD_SETLK ? Among::threads : Among::processes,
                           [&] { return REAL(fcntl)(fd, command, argument); });
    case F_SETFL:
      reach_change(fd, pc);
      [[fallthrough]];
    case F_SETFD:
      if (command == F_SETFD) changes_open_file(pc);
      kernel_changes(kChangesDescriptors);
      note_flags_changed(fd);
      return REAL(fcntl)(fd, command, argument);
    case F_GETLK:
    case F_OFD_GETLK:
      looks_at_open_file(pc);
      image_open(argument, sizeof(struct flock));
      return show_holder(static_cast<struct flock*>(argument), REAL(fcntl)(fd, command, argument));
    case F_SETOWN:
      changes_open_file(pc);
      return REAL(fcntl)(fd, command,
                         as_kernel_knows(static_cast<pid_t>(reinterpret_cast<intptr_t>(argument))));
    case F_GETOWN:
      looks_at_open_file(pc);
      return as_program_sees(REAL(fcntl)(fd, command, argument));
    case F_SETOWN_EX: {
      changes_open_file(pc);
      f_owner_ex owner = *static_cast<const f_owner_ex*>(argument);
      if (owner.type != F_OWNER_PGRP) owner.pid = as_kernel_knows(owner.pid);
      return REAL(fcntl)(fd, command, &owner);
    }
    case F_GETOWN_EX: {
      looks_at_open_file(pc);
      auto* owner = static_cast<f_owner_ex*>(argument);
      image_open(owner, sizeof *owner);
      const int result = REAL(fcntl)(fd, command, owner);
      if (result == 0) owner->pid = as_program_sees(owner->pid);
      return result;
    }
    case F_GETFD:
    case F_GETFL:
    case F_GETSIG:
    case F_GETPIPE_SZ:
    case F_GETLEASE:
    case F_GET_SEALS:
      looks_at_open_file(pc);
      return REAL(fcntl)(fd, command, argument);
    default:
      changes_open_file(pc);
      return REAL(fcntl)(fd, command, argument);
  }
}

void closes_several(uintptr_t pc) {
  changes_open_file(pc);
  if (controlled()) has_closed_descriptor();
}

int close_all_but_kept(unsigned first, unsigned last, int flags) {
  if (first_kept_descriptor() < 0) return REAL(close_range)(first, last, flags);
  const auto kept_first = static_cast<unsigned>(first_kept_descriptor());
  const auto kept_last = static_cast<unsigned>(last_kept_descriptor());
  if (first > last || last < kept_first || first > kept_last) {
    return REAL(close_range)(first, last, flags);
  }
  int result = 0;
  if (first < kept_first) result |= REAL(close_range)(first, kept_first - 1, flags);
  if (last > kept_last) result |= REAL(close_range)(kept_last + 1, last, flags);
  return result;
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

JOSTLE_HOOK int close(int fd) {
  if (!controlled()) return REAL(close)(fd);
  if (is_kept_descriptor(fd)) {
    errno = EBADF;
    return -1;
  }
  kernel_changes(kChangesDescriptors);
  cancellation_point();
  reach_change(fd, CALLER(), kClosesDescriptor);
  has_closed_descriptor();
  note_closed(fd);
  const int result = REAL(close)(fd);
  descriptors_changed();
  return result;
}
JOSTLE_ALIAS(__close, close);

JOSTLE_HOOK int close_range(unsigned first, unsigned last, int flags) noexcept {
  kernel_changes(kChangesDescriptors);
  closes_several(CALLER());
  const int result = close_all_but_kept(first, last, flags);
  if (result == 0 && !(flags & CLOSE_RANGE_CLOEXEC)) note_range_closed(first, last);
  return result;
}

JOSTLE_HOOK void closefrom(int first) noexcept {
  kernel_changes(kChangesDescriptors);
  closes_several(CALLER());
  close_all_but_kept(first < 0 ? 0 : static_cast<unsigned>(first), ~0u, 0);
  note_range_closed(first < 0 ? 0 : static_cast<unsigned>(first), ~0u);
}

JOSTLE_HOOK int dup(int fd) noexcept {
  kernel_changes(kOpensDescriptors);
  makes_descriptor(CALLER());
  return note_duplicate(fd, REAL(dup)(fd));
}

JOSTLE_HOOK int dup2(int from, int to) noexcept {
  kernel_changes(kChangesDescriptors);
  if (is_kept_descriptor(to)) needs_own_process("chooses descriptor numbers itself");
  if (controlled()) {
    reach_change(to, CALLER());
    has_made_descriptor();
  }
  return duplicate_onto(from, to, REAL(dup2)(from, to));
}
JOSTLE_ALIAS(__dup2, dup2);

JOSTLE_HOOK int dup3(int from, int to, int flags) noexcept {
  kernel_changes(kChangesDescriptors);
  if (is_kept_descriptor(to)) needs_own_process("chooses descriptor numbers itself");
  if (controlled()) {
    reach_change(to, CALLER());
    has_made_descriptor();
  }
  return duplicate_onto(from, to, REAL(dup3)(from, to, flags));
}

// The third argument, whatever its type, is one register wide.
JOSTLE_HOOK int fcntl(int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (!controlled()) return REAL(fcntl)(fd, command, argument);
  return control(fd, command, argument, CALLER());
}
JOSTLE_ALIAS(__fcntl, fcntl);
JOSTLE_ALIAS(fcntl64, fcntl);  // the same on 64-bit machines

// libc's own would wait in the kernel.
JOSTLE_HOOK int lockf(int fd, int what, off_t size) {
  if (!controlled() || (what != F_LOCK && what != F_TLOCK && what != F_ULOCK)) {
    return REAL(lockf)(fd, what, size);
  }
  struct flock range = {};
  range.l_type = what == F_ULOCK ? F_UNLCK : F_WRLCK;
  range.l_whence = SEEK_CUR;
  range.l_len = size;
  return control(fd, what == F_LOCK ? F_SETLKW : F_SETLK, &range, CALLER());
}
JOSTLE_ALIAS(lockf64, lockf);

JOSTLE_HOOK int flock(int fd, int what) noexcept {
  if (!controlled()) return REAL(flock)(fd, what);
  if (what & LOCK_NB) {
    return try_lock_file(fd, CALLER(), Among::threads, [&] { return REAL(flock)(fd, what); });
  }
  return lock_file(fd, CALLER(), Among::threads, [&] { return REAL(flock)(fd, what | LOCK_NB); });
}

JOSTLE_HOOK int pipe(int ends[2]) noexcept {
  if (controlled()) image_open(ends, 2 * sizeof *ends);
  makes_descriptor(CALLER());
  return note_pipe_ends(ends, REAL(pipe)(ends), CALLER());
}
JOSTLE_ALIAS(__pipe, pipe);

JOSTLE_HOOK int pipe2(int ends[2], int flags) noexcept {
  if (controlled()) image_open(ends, 2 * sizeof *ends);
  makes_descriptor(CALLER());
  return note_pipe_ends(ends, REAL(pipe2)(ends, flags), CALLER());
}

JOSTLE_HOOK int eventfd(unsigned value, int flags) noexcept {
  makes_descriptor(CALLER());
  const int fd = REAL(eventfd)(value, flags);
  if (controlled() && fd >= 0) {
    note_closed(fd);
    note_anonymous(fd);
    note_event_descriptor(fd, flags);
  }
  return fd;
}
