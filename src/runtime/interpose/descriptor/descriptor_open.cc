// SPDX-License-Identifier: Apache-2.0
// Opening files: almost always without waiting.
//
// Named pipes are the exception. Opening one end waits for somebody to open the other, which may be
// another thread; here the one thread waits. A file that gives real random numbers is noted, and so
// is what a campaign puts back after the run (file_changes.h).
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/descriptor/machine_figures.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/random_numbers.h"
#include "src/runtime/interpose/state/file_changes.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/snapshot/kernel_state.h"

extern "C" int __open_2(const char* path, int flags);
extern "C" int __openat_2(int directory, const char* path, int flags);

namespace jostle::rt {
namespace {

bool is_random(const char* path) {
  return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

// What the kernel tells of this process and of the machine's memory, by names that say of which:
// figures that differ in every run. What is not in the list, such as `exe` and `maps`, does not.
void note_if_figures(const char* path) {
  if (strncmp(path, "/proc/", 6) != 0) return;
  const char* last = strrchr(path, '/') + 1;
  for (const char* name :
       {"stat", "status", "statm", "schedstat", "sched", "io", "smaps", "smaps_rollup", "auxv",
        "syscall", "wchan", "task", "meminfo", "vmstat", "interrupts", "diskstats"}) {
    if (strcmp(last, name) == 0) note_uncontrolled(channel::kProcessFigures);
  }
}

// ---- named pipes --------------------------------------------------------------------------------

// How often it has been opened for writing by this process.
uint32_t writers_of(const FileId& pipe) {
  const KernelObject* object = object_with(pipe);
  return object ? object->writers : 0;
}

// Opening would wait for the other end.
bool waits_for_other_end(int directory, const char* path, int flags, struct stat& status) {
  if ((flags & O_ACCMODE) == O_RDWR || (flags & (O_NONBLOCK | O_PATH | O_DIRECTORY))) return false;
  const int saved = errno;
  const bool is_pipe = REAL(fstatat)(directory, path, &status, 0) == 0 && S_ISFIFO(status.st_mode);
  errno = saved;
  return is_pipe;
}

int let_block(int fd, int flags) {
  REAL(fcntl)(fd, F_SETFL, flags & ~O_NONBLOCK);
  descriptors_changed();
  return fd;
}

int open_for_writing(int directory, const char* path, int flags, const FileId& pipe,
                     const Operation& op) {
  for (;;) {
    const int fd = REAL(openat)(directory, path, flags | O_NONBLOCK, 0);
    if (fd >= 0) {
      look_at(fd);  // known from now on
      if (KernelObject* object = object_with(pipe)) ++object->writers;
      return let_block(fd, flags);
    }
    if (errno != ENXIO) return fd;
    const Wake wake =
        wait_for_outside(op, [](void*) { return true; }, nullptr, {.until_any_use = true});
    if (wake == Wake::signalled && !try_again_after_signal()) return -1;
  }
}

int open_for_reading(int directory, const char* path, int flags, const FileId& pipe,
                     const Operation& op) {
  const uint32_t writers = writers_of(pipe);
  const int fd = REAL(openat)(directory, path, flags | O_NONBLOCK, 0);
  if (fd < 0) return fd;
  descriptors_changed();
  // A writer in this process is counted; one outside shows when it writes or closes.
  while (writers_of(pipe) == writers) {
    const Wake wake = wait_for_descriptor(op, fd, POLLIN, {.until_any_use = true});
    pollfd now = {fd, POLLIN, 0};
    if (wake == Wake::ready && REAL(poll)(&now, 1, 0) > 0) break;
    if (wake == Wake::signalled && !try_again_after_signal()) {
      REAL(close)(fd);
      errno = EINTR;
      return -1;
    }
  }
  return let_block(fd, flags);
}

int open_file(int directory, const char* given, int flags, mode_t mode, uintptr_t pc) {
  const KernelPath path(given);
  struct stat status;
  int fd = open_machine_figures(path, flags);
  if (fd >= 0) {
    note_closed(fd);
    return fd;
  }
  note_if_figures(path);
  if (waits_for_other_end(directory, path, flags, status)) {
    cancellation_point();
    const Operation op = operation(OpKind::io_wait, nullptr, pc);
    g_scheduler.reach(op);
    fd = (flags & O_ACCMODE) == O_WRONLY
             ? open_for_writing(directory, path, flags, FileId(status), op)
             : open_for_reading(directory, path, flags, FileId(status), op);
  } else if (step_of_opening(directory, path, flags, pc); opens_to_change(directory, path, flags)) {
    files::Change change = changes_file(directory, path, kWhereItLeads);
    fd = checked(change, REAL(openat)(directory, path, flags, mode));
  } else {
    note_reading(directory, path);
    fd = REAL(openat)(directory, path, flags, mode);
  }
  if (fd >= 0) note_closed(fd);
  if (fd >= 0 && is_random(path)) note_random_descriptor(fd);
  return fd;
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

#define MODE_ARGUMENT(last)                      \
  va_list arguments;                             \
  va_start(arguments, last);                     \
  const mode_t mode = va_arg(arguments, mode_t); \
  va_end(arguments)

// The 64-bit variants are the same functions on 64-bit machines.
JOSTLE_HOOK int open(const char* path, int flags, ...) {
  MODE_ARGUMENT(flags);
  if (!controlled()) return REAL(open)(path, flags, mode);
  return open_file(AT_FDCWD, path, flags, mode, CALLER());
}
JOSTLE_ALIAS(open64, open);
JOSTLE_ALIAS(__open, open);
JOSTLE_ALIAS(__open64, open);

JOSTLE_HOOK int openat(int directory, const char* path, int flags, ...) {
  MODE_ARGUMENT(flags);
  if (!controlled()) return REAL(openat)(directory, path, flags, mode);
  return open_file(directory, path, flags, mode, CALLER());
}
JOSTLE_ALIAS(openat64, openat);

JOSTLE_HOOK int __open_2(const char* path, int flags) {
  if (!controlled() || (flags & (O_CREAT | __O_TMPFILE))) return REAL(__open_2)(path, flags);
  return open_file(AT_FDCWD, path, flags, 0, CALLER());
}
JOSTLE_ALIAS(__open64_2, __open_2);

JOSTLE_HOOK int __openat_2(int directory, const char* path, int flags) {
  if (!controlled() || (flags & (O_CREAT | __O_TMPFILE))) {
    return REAL(__openat_2)(directory, path, flags);
  }
  return open_file(directory, path, flags, 0, CALLER());
}
JOSTLE_ALIAS(__openat64_2, __openat_2);

JOSTLE_HOOK int creat(const char* path, mode_t mode) {
  if (!controlled()) return REAL(creat)(path, mode);
  return open_file(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode, CALLER());
}
JOSTLE_ALIAS(creat64, creat);

namespace {

int opening_flags_of(const char* mode) {
  if (mode[0] == 'r') return O_RDONLY;
  return O_WRONLY | O_CREAT | (mode[0] == 'w' ? O_TRUNC : 0);
}

// `open` opens the stream: libc's, with a file behind it.
template <typename Open>
FILE* open_stream(const char* path, const char* mode, uintptr_t pc, Open&& open) {
  step_of_opening(AT_FDCWD, path, opening_flags_of(mode), pc);
  const bool writes = mode[0] != 'r' || strchr(mode, '+');
  if (!writes) {
    note_reading(AT_FDCWD, path);
    return open();
  }
  files::Change change = changes_file(AT_FDCWD, path, kWhereItLeads);
  FILE* stream = open();
  if (!stream) change.failed();
  return stream;
}

int flags_of(const char* mode) {
  if (strchr(mode, '+')) return O_RDWR;
  return (mode[0] == 'r' ? O_RDONLY : O_WRONLY) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

// A named pipe, whose other end libc would wait for with the whole process.
FILE* open_pipe_stream(const char* path, const char* mode, uintptr_t pc) {
  const int fd = open_file(AT_FDCWD, path, flags_of(mode), 0, pc);
  if (fd < 0) return nullptr;
  note_given_to_libc(fd);
  FILE* stream = REAL(fdopen)(fd, mode);
  if (!stream) REAL(close)(fd);
  return stream;
}

// The same for a stream that is something else now. The other end may be closed again by the time
// that libc opens this one: as long as that takes both are open.
FILE* reopen_as_pipe(const char* path, const char* mode, FILE* stream, uintptr_t pc) {
  const int fd = open_file(AT_FDCWD, path, flags_of(mode), 0, pc);
  if (fd < 0) return nullptr;
  char again[32];
  snprintf(again, sizeof again, "/proc/self/fd/%d", fd);
  const int both = REAL(open)(again, O_RDWR | O_CLOEXEC);
  FILE* opened = REAL(freopen)(again, mode, stream);
  if (both >= 0) REAL(close)(both);
  close(fd);
  return opened;
}

}  // namespace

JOSTLE_HOOK FILE* fopen(const char* given, const char* mode) {
  if (!controlled()) return REAL(fopen)(given, mode);
  const KernelPath path(given);
  kernel_changes(kOpensDescriptors);
  struct stat status;
  if (waits_for_other_end(AT_FDCWD, path, flags_of(mode), status)) {
    return open_pipe_stream(path, mode, CALLER());
  }
  if (const int fd = open_machine_figures(path, flags_of(mode)); fd >= 0) {
    note_given_to_libc(fd);
    return REAL(fdopen)(fd, mode);
  }
  note_if_figures(path);
  if (is_random(path) && mode[0] == 'r') {
    // What libc reads by itself for a stream would be the kernel's.
    if (const int fd = open_random_file(); fd >= 0) {
      note_given_to_libc(fd);
      return REAL(fdopen)(fd, mode);
    }
  }
  return open_stream(path, mode, CALLER(), [&] { return REAL(fopen)(path, mode); });
}
JOSTLE_ALIAS(fopen64, fopen);

JOSTLE_HOOK FILE* fdopen(int fd, const char* mode) noexcept {
  if (controlled()) note_given_to_libc(fd);
  return REAL(fdopen)(fd, mode);
}
JOSTLE_ALIAS(_IO_fdopen, fdopen);

JOSTLE_HOOK FILE* freopen(const char* path, const char* mode, FILE* stream) {
  kernel_changes(kChangesDescriptors);
  if (!controlled() || !path) return REAL(freopen)(path, mode, stream);
  if (stream->_fileno >= 0) note_closed(stream->_fileno);
  struct stat status;
  if (waits_for_other_end(AT_FDCWD, path, flags_of(mode), status)) {
    return reopen_as_pipe(path, mode, stream, CALLER());
  }
  if (is_random(path)) note_uncontrolled(channel::kRealRandom);
  return open_stream(path, mode, CALLER(), [&] { return REAL(freopen)(path, mode, stream); });
}
JOSTLE_ALIAS(freopen64, freopen);
