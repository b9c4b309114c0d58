// SPDX-License-Identifier: Apache-2.0
// What a process has one of: working directory, umask, limits, identity. The rewind after a run
// puts back what it can; the rest needs a process per run.
#include "src/runtime/interpose/process/process_state.h"

#include <grp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/heap/memory_limit.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/interpose/state/state_step.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"

extern "C" int capset(void* header, const void* data) noexcept;

using namespace jostle;
using namespace jostle::rt;

namespace {
StateStep changes_state(SharedState state, uintptr_t pc) {
  return StateStep(OpKind::state_write, state, pc).changes(state);
}
}  // namespace

JOSTLE_HOOK int chdir(const char* path) noexcept {
  changes_state(SharedState::working_directory, CALLER()).looks_at(AT_FDCWD, path);
  kernel_changes(kChangesDirectory);
  return REAL(chdir)(path);
}
JOSTLE_HOOK int fchdir(int fd) noexcept {
  changes_state(SharedState::working_directory, CALLER());
  kernel_changes(kChangesDirectory);
  return REAL(fchdir)(fd);
}
JOSTLE_HOOK mode_t umask(mode_t mask) noexcept {
  changes_state(SharedState::file_mask, CALLER());
  kernel_changes(kChangesUmask);
  return REAL(umask)(mask);
}
namespace {
// Only who is privileged could raise a hard limit again.
void limits_change(int what, const rlimit* limit) {
  if (limit) is_no_step();
  kernel_changes(kChangesLimits);
  rlimit now;
  if (!controlled() || !limit || getrlimit(static_cast<__rlimit_resource>(what), &now) != 0) return;
  if (limit->rlim_max < now.rlim_max) needs_own_process("lowers a hard limit");
}
}  // namespace

JOSTLE_HOOK int setrlimit(__rlimit_resource_t what, const rlimit* limit) noexcept {
  int result;
  if (memory_limit(static_cast<int>(what), limit, nullptr, result)) return result;
  limits_change(static_cast<int>(what), limit);
  return REAL(setrlimit)(what, limit);
}
JOSTLE_ALIAS(setrlimit64, setrlimit);
JOSTLE_HOOK int getrlimit(__rlimit_resource_t what, rlimit* limit) noexcept {
  int result;
  if (memory_limit(static_cast<int>(what), nullptr, limit, result)) return result;
  if (controlled()) image_open(limit, sizeof *limit);
  return REAL(getrlimit)(what, limit);
}
JOSTLE_ALIAS(getrlimit64, getrlimit);
JOSTLE_HOOK int prlimit(pid_t process, __rlimit_resource what, const rlimit* limit,
                        rlimit* old) noexcept {
  int result;
  if ((process == 0 || as_kernel_knows(process) == kernel_process_id()) &&
      memory_limit(static_cast<int>(what), limit, old, result)) {
    return result;
  }
  limits_change(static_cast<int>(what), limit);
  return REAL(prlimit)(as_kernel_knows(process), what, limit, old);
}
JOSTLE_ALIAS(prlimit64, prlimit);

// The image ends at the break of before main: it must not shrink below.
JOSTLE_HOOK void* sbrk(intptr_t by) noexcept {
  if (by != 0) kernel_changes(kChangesBreak);
  if (by < 0 && controlled()) needs_own_process("gives memory back with sbrk");
  return REAL(sbrk)(by);
}
JOSTLE_HOOK int brk(void* end) noexcept {
  kernel_changes(kChangesBreak);
  if (controlled() && end < REAL(sbrk)(0)) needs_own_process("gives memory back with brk");
  return REAL(brk)(end);
}

#define NEEDS_PROCESS(function, parameters, arguments)       \
  JOSTLE_HOOK int function parameters noexcept {             \
    if (controlled()) needs_own_process("calls " #function); \
    return REAL(function) arguments;                         \
  }

NEEDS_PROCESS(setuid, (uid_t id), (id))
NEEDS_PROCESS(setgid, (gid_t id), (id))
NEEDS_PROCESS(seteuid, (uid_t id), (id))
NEEDS_PROCESS(setegid, (gid_t id), (id))
NEEDS_PROCESS(setreuid, (uid_t real, uid_t effective), (real, effective))
NEEDS_PROCESS(setregid, (gid_t real, gid_t effective), (real, effective))
NEEDS_PROCESS(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
NEEDS_PROCESS(setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
NEEDS_PROCESS(setgroups, (size_t count, const gid_t* groups), (count, groups))
NEEDS_PROCESS(chroot, (const char* path), (path))
NEEDS_PROCESS(unshare, (int flags), (flags))
NEEDS_PROCESS(setns, (int fd, int type), (fd, type))
NEEDS_PROCESS(setpgid, (pid_t process, pid_t group),
              (as_kernel_knows(process), group_to_join(process, group)))

JOSTLE_HOOK pid_t setsid() noexcept {
  if (controlled()) needs_own_process("calls setsid");
  return as_program_sees(REAL(setsid)());
}

JOSTLE_HOOK int setfsuid(uid_t id) noexcept {
  if (controlled()) needs_own_process("calls setfsuid");
  return REAL(setfsuid)(id);
}
JOSTLE_HOOK int setfsgid(gid_t id) noexcept {
  if (controlled()) needs_own_process("calls setfsgid");
  return REAL(setfsgid)(id);
}
JOSTLE_HOOK int personality(unsigned long persona) noexcept {
  constexpr unsigned long kOnlyAsks = 0xFFFFFFFF;
  if (controlled() && persona != kOnlyAsks) needs_own_process("calls personality");
  return REAL(personality)(persona);
}
JOSTLE_HOOK int capset(void* header, const void* data) noexcept {
  if (controlled()) needs_own_process("calls capset");
  return REAL(capset)(header, data);
}

namespace jostle::rt {

void filters_calls() {
  needs_own_process("filters its system calls (seccomp)");
  note_uncontrolled(channel::kFiltersCalls);
}

}  // namespace jostle::rt
