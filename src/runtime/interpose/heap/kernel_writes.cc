// SPDX-License-Identifier: Apache-2.0
// Calls whose results the kernel writes to memory of the program's choice.
//
// Pages that no run has written so far are protected (image/image.h). The kernel does not fault
// on them as the program does: the call fails with EFAULT. So they are opened first. Calls that
// have hooks for other reasons do the same there; libc's own buffers are the heap's care.
#include <sched.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/memory/access.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/snapshot/kernel_state.h"

using namespace jostle::rt;

#define WRITES(result, function, parameters, arguments, to, size) \
  JOSTLE_HOOK result function parameters noexcept {               \
    if (controlled()) {                                           \
      image_open(to, size);                                       \
      kernel_access(true, to, size, CALLER());                    \
    }                                                             \
    return REAL(function) arguments;                              \
  }

// ---- files; what is said of one and where it is: state/file_looks.cc
WRITES(int, statfs, (const char* path, struct statfs* to), (KernelPath(path), to), to, sizeof *to)
WRITES(int, fstatfs, (int fd, struct statfs* to), (fd, to), to, sizeof *to)
WRITES(ssize_t, getxattr, (const char* path, const char* name, void* to, size_t size),
       (path, name, to, size), to, size)
WRITES(ssize_t, fgetxattr, (int fd, const char* name, void* to, size_t size), (fd, name, to, size),
       to, size)
WRITES(ssize_t, listxattr, (const char* path, char* to, size_t size), (path, to, size), to, size)
// The same on 64-bit machines.
JOSTLE_ALIAS(statfs64, statfs);
JOSTLE_ALIAS(fstatfs64, fstatfs);

// ---- the process and the machine
WRITES(int, uname, (utsname * to), (to), to, sizeof *to)
WRITES(int, getgroups, (int count, gid_t* to), (count, to), to,
       count > 0 ? static_cast<size_t>(count) * sizeof *to : 0)
WRITES(int, clock_getres, (clockid_t clock, timespec* to), (clock, to), to, sizeof *to)
WRITES(int, mincore, (void* address, size_t size, unsigned char* to), (address, size, to), to,
       size / 4096 + 1)

#define THREE_IDS(function, type)                                               \
  JOSTLE_HOOK int function(type* real, type* effective, type* saved) noexcept { \
    if (controlled()) {                                                         \
      image_open(real, sizeof *real);                                           \
      image_open(effective, sizeof *effective);                                 \
      image_open(saved, sizeof *saved);                                         \
    }                                                                           \
    return REAL(function)(real, effective, saved);                              \
  }
THREE_IDS(getresuid, uid_t)
THREE_IDS(getresgid, gid_t)

// ---- sockets and devices
#define NAME_OF_SOCKET(function)                                                     \
  JOSTLE_HOOK int function(int fd, sockaddr* to, socklen_t* size) noexcept {         \
    looks_at_open_file(CALLER());                                                    \
    if (controlled() && size) image_open(to, *size), image_open(size, sizeof *size); \
    return REAL(function)(fd, to, size);                                             \
  }
NAME_OF_SOCKET(getsockname)
NAME_OF_SOCKET(getpeername)

JOSTLE_HOOK int getsockopt(int fd, int level, int name, void* to, socklen_t* size) noexcept {
  looks_at_open_file(CALLER());
  if (controlled() && size) image_open(to, *size), image_open(size, sizeof *size);
  const int result = REAL(getsockopt)(fd, level, name, to, size);
  if (controlled() && result == 0 && level == SOL_SOCKET && name == SO_PEERCRED &&
      *size >= sizeof(pid_t)) {
    auto* peer = static_cast<pid_t*>(to);
    *peer = as_program_sees(*peer);
  }
  return result;
}

// How much it writes depends on the device; few write more than a page.
JOSTLE_HOOK int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (controlled()) {
    if (several_threads()) {
      g_scheduler.reach(
          {.kind = jostle::OpKind::io_write, .object = look_at(fd).object, .pc = CALLER()});
    }
    image_open(argument, 4096);
    kernel_changes(kChangesDescriptors);  // FIONBIO
    note_flags_changed(fd);
  }
  const int result = REAL(ioctl)(fd, request, argument);
  // Who learns that there is something to read comes behind who wrote it.
  const bool asks = request == FIONREAD && result == 0 && controlled() && several_threads();
  if (asks && *static_cast<int*>(argument) > 0) g_races.acquire(look_at(fd).object);
  return result;
}
