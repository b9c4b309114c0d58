// SPDX-License-Identifier: Apache-2.0
// Calls that get or give process ids and do nothing else that we have to know of.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/identity/process_id.h"

using namespace jostle::rt;

JOSTLE_HOOK pid_t getpgrp() noexcept { return as_program_sees(REAL(getpgrp)()); }
JOSTLE_HOOK pid_t getpgid(pid_t process) noexcept {
  return as_program_sees(REAL(getpgid)(as_kernel_knows(process)));
}
JOSTLE_HOOK pid_t getsid(pid_t process) noexcept {
  return as_program_sees(REAL(getsid)(as_kernel_knows(process)));
}
JOSTLE_HOOK pid_t tcgetpgrp(int fd) noexcept { return as_program_sees(REAL(tcgetpgrp)(fd)); }
JOSTLE_HOOK int tcsetpgrp(int fd, pid_t group) noexcept {
  return REAL(tcsetpgrp)(fd, group_as_kernel_knows(group));
}

// Libc has it from 2.36 on.
JOSTLE_HOOK int pidfd_open(pid_t process, unsigned flags) noexcept {
  return static_cast<int>(REAL(syscall)(SYS_pidfd_open, as_kernel_knows(process), flags));
}

JOSTLE_HOOK ssize_t process_vm_readv(pid_t process, const iovec* here, unsigned long count,
                                     const iovec* there, unsigned long parts,
                                     unsigned long flags) noexcept {
  if (controlled()) {
    for (unsigned long i = 0; i < count; ++i) image_open(here[i].iov_base, here[i].iov_len);
  }
  return REAL(process_vm_readv)(as_kernel_knows(process), here, count, there, parts, flags);
}
