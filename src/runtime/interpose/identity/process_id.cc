// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/identity/process_id.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/raw_syscall.h"

namespace jostle::rt {
namespace {

// In a rewound process it is forgotten with the run.
bool g_told = false;

// Of the process that is the run; its children inherit it. Kernel 0: all ids are the kernel's.
struct Kept {
  pid_t kernel = 0;
  ToldId seen;
};
Kept g_kept;

}  // namespace

pid_t kernel_process_id() { return static_cast<pid_t>(raw_syscall(SYS_getpid)); }
pid_t kernel_parent_id() { return static_cast<pid_t>(raw_syscall(SYS_getppid)); }

pid_t seen_process_id() { return as_program_sees(kernel_process_id()); }

pid_t seen_parent_id() {
  if (g_kept.kernel != 0 && g_kept.kernel == kernel_process_id()) return g_kept.seen.parent;
  return as_program_sees(kernel_parent_id());
}

pid_t as_kernel_knows(pid_t process) {
  return g_kept.kernel != 0 && process == g_kept.seen.process ? g_kept.kernel : process;
}

pid_t as_program_sees(pid_t process) {
  return g_kept.kernel != 0 && process == g_kept.kernel ? g_kept.seen.process : process;
}

// The process that was launched may lead a group as well, which the run is in as long as it has
// none of its own.
pid_t group_as_kernel_knows(pid_t group) {
  const pid_t known = as_kernel_knows(group);
  return known == group || raw_syscall(SYS_getpgid, known) == known ? known : group;
}

pid_t process_or_group_as_kernel_knows(pid_t either) {
  const bool is_group = either < -1 && either != INT_MIN;
  return is_group ? -group_as_kernel_knows(-either) : as_kernel_knows(either);
}

pid_t group_to_join(pid_t process, pid_t group) {
  const pid_t own = kernel_process_id();
  const bool joins_own =
      as_kernel_knows(group) == own && (process == 0 || as_kernel_knows(process) == own);
  return joins_own ? own : group_as_kernel_knows(group);
}

void show_sender(siginfo_t& info) {
  const bool is_sent = info.si_code <= 0 && info.si_code != SI_TIMER;
  if (is_sent || info.si_signo == SIGCHLD) info.si_pid = as_program_sees(info.si_pid);
}

KernelPath::KernelPath(const char* path) : path_(path) {
  constexpr char kProc[] = "/proc/";
  constexpr size_t kLength = sizeof kProc - 1;
  if (g_kept.kernel == 0 || !path || strncmp(path, kProc, kLength) != 0) return;
  char* rest = nullptr;
  const long process = strtol(path + kLength, &rest, 10);
  if (process != g_kept.seen.process || (*rest != '\0' && *rest != '/')) return;
  const int length = snprintf(room_, sizeof room_, "%s%d%s", kProc, g_kept.kernel, rest);
  if (static_cast<size_t>(length) < sizeof room_) path_ = room_;
}

void note_told_id() { g_told = true; }

ToldId told_id() {
  if (!g_told) return {};
  return {seen_process_id(), seen_parent_id()};
}

void keep_told_id(const ToldId& told) {
  if (told.process != 0) g_kept = {kernel_process_id(), told};
}

}  // namespace jostle::rt
