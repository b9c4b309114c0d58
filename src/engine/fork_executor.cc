// SPDX-License-Identifier: Apache-2.0
#include "src/engine/fork_executor.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/runtime/fiber/donor.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/identity/process_id.h"

namespace jostle::engine {

using namespace jostle::rt;

namespace {

// The raw system call: glibc's fork() would recycle the stacks of all other threads in the child,
// and with them the thread-local blocks of our donors. The kernel writes the child's thread id to
// where glibc caches it.
long clone_process(long exit_signal) {
  void* tid = cached_tid_address(pthread_self());
  const long flags = exit_signal | (tid ? CLONE_CHILD_SETTID : 0);
#if defined(__x86_64__)
  return REAL(syscall)(SYS_clone, flags, nullptr, nullptr, tid, nullptr);
#else
  return REAL(syscall)(SYS_clone, flags, nullptr, nullptr, nullptr, tid);
#endif
}

}  // namespace

int fork_aside() {
  const long pid = clone_process(0);
  if (pid == 0) REAL(prctl)(PR_SET_PDEATHSIG, SIGKILL);
  return static_cast<int>(pid);
}

ForkResult fork_run() {
  const ToldId told = told_id();
  const long pid = clone_process(SIGCHLD);
  if (pid < 0) return {false, false, 0};
  if (pid == 0) {
    REAL(prctl)(PR_SET_PDEATHSIG, SIGKILL);
    keep_told_id(told);
    return {true, true, 0};
  }
  int status = 0;
  while (REAL(waitpid)(static_cast<pid_t>(pid), &status, 0) < 0 && errno == EINTR) {
  }
  return {true, false, status};
}

}  // namespace jostle::engine
