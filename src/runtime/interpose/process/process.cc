// SPDX-License-Identifier: Apache-2.0
// Other processes: fork and its relatives, and waiting for children.
//
// A forked child has only the thread that called fork; it goes on under the scheduler, but what it
// does is no part of the run. A child's end counts as having happened only when nobody in this
// process can go on, so that its moment is no nondeterminism of the run.
#include "src/runtime/interpose/process/process.h"

#include <errno.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/children.h"
#include "src/runtime/interpose/process/family.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/thread/kernel_id.h"
#include "src/runtime/interpose/time/interval_timer.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/snapshot/leave.h"

namespace jostle::rt {

void before_child() {
  needs_own_process("creates processes");
  note_uncontrolled(channel::kForks);
  note_fork();
  prepare_child();
  found_family();
}

namespace {

// Only ever more in children: there it says that one has begun.
unsigned g_children_begun = 0;

void in_child() {
  ++g_children_begun;
  g_scheduler.forget_other_threads();
  g_first_thread = g_current->index;
  forget_children();
  join_family();
  forget_pending_signals();
  forget_timers();
  g_scheduler.processor_time_begins();
}

template <typename Fork>
pid_t fork_with(Fork&& real_fork, uintptr_t pc) {
  g_scheduler.reach(operation(OpKind::io_write, nullptr, pc));
  before_child();
  const unsigned begun = g_children_begun;
  expect_member();
  const pid_t child = real_fork();
  if (child == 0 && g_children_begun == begun) in_child();  // _Fork asks no handlers
  if (child > 0) note_child(child);
  if (child < 0) expect_no_member();
  return child;
}

// In a child of fork(), before the program's own handlers: what those do is the child's already. To
// the scheduler it still has all threads, and the log is the parent's.
void first_in_child() {
  if (controlled()) in_child();
}

template <typename Spawn>
int spawn_with(pid_t* child, Spawn&& real_spawn) {
  before_child();
  pid_t process = 0;
  const int error = real_spawn(&process);
  if (error == 0) note_child(process);
  if (error == 0 && child) *child = process;
  return error;
}

// ---- waiting for children -----------------------------------------------------------------------

struct Children {
  idtype_t type;
  id_t id;
  int options;
  // Has one of them done what is waited for? An error, such as no child at all, counts.
  bool any() const {
    siginfo_t info;
    info.si_pid = 0;
    const int saved = errno;
    const int result = REAL(waitid)(type, id, &info, options | WNOHANG | WNOWAIT);
    errno = saved;
    return result != 0 || info.si_pid != 0;
  }
  bool exist() const {
    siginfo_t info;
    const int saved = errno;
    const int result = REAL(waitid)(type, id, &info, options | WNOHANG | WNOWAIT);
    errno = saved;
    return result == 0;
  }
};

Children children(pid_t pid, int options) {
  const int wanted = WEXITED | (options & WCONTINUED) | (options & WUNTRACED ? WSTOPPED : 0);
  if (pid > 0) return {P_PID, static_cast<id_t>(pid), wanted};
  if (pid == -1) return {P_ALL, 0, wanted};
  return {P_PGID, pid == 0 ? 0 : static_cast<id_t>(-pid), wanted};
}

// Waits until `call`, the real one, has something to return.
template <typename Call>
int wait_for_child(Children which, bool returns_at_once, uintptr_t pc, Call&& call) {
  const Operation op = operation(OpKind::process_wait, nullptr, pc);
  cancellation_point();
  if (returns_at_once || !which.exist()) {
    g_scheduler.reach(op);
    return call();
  }
  for (;;) {
    const Wake wake =
        wait_for_outside(op, [](void* context) { return static_cast<Children*>(context)->any(); },
                         &which, {.by_children = true});
    if (wake == Wake::ready) return call();
    if (!try_again_after_signal()) return -1;
  }
}

pid_t wait_for_any(pid_t pid, int* status, int options, rusage* usage, uintptr_t pc) {
  pid = process_or_group_as_kernel_knows(pid);
  return wait_for_child(children(pid, options), options & WNOHANG, pc,
                        [&] { return REAL(wait4)(pid, status, options | WNOHANG, usage); });
}

}  // namespace

void be_first_in_children() { pthread_atfork(nullptr, nullptr, first_in_child); }

pid_t wait_for_pid(pid_t process, int* status, int options, uintptr_t pc) {
  return wait_for_any(process, status, options, nullptr, pc);
}

}  // namespace jostle::rt

using namespace jostle;
using namespace jostle::rt;

// ---- new processes ------------------------------------------------------------------------------

JOSTLE_HOOK pid_t fork() noexcept {
  if (!controlled()) return REAL(fork)();
  return fork_with([] { return REAL(fork)(); }, CALLER());
}
JOSTLE_ALIAS(__fork, fork);

JOSTLE_HOOK pid_t _Fork() noexcept {
  if (!controlled()) return REAL(_Fork)();
  return fork_with([] { return REAL(_Fork)(); }, CALLER());
}

// The child would run in our frame and share our memory: an ordinary fork is allowed to stand for
// it.
JOSTLE_HOOK pid_t vfork() noexcept {
  if (!controlled()) return REAL(fork)();
  return fork_with([] { return REAL(fork)(); }, CALLER());
}
JOSTLE_ALIAS(__vfork, vfork);

JOSTLE_HOOK int daemon(int keep_directory, int keep_output) noexcept {
  if (!controlled()) return REAL(daemon)(keep_directory, keep_output);
  before_child();
  expect_member();
  const int result = REAL(daemon)(keep_directory, keep_output);
  if (result == 0) in_child();
  if (result != 0) expect_no_member();
  return result;
}

JOSTLE_HOOK int forkpty(int* terminal, char* name, const termios* attributes,
                        const winsize* size) noexcept {
  if (!controlled()) return REAL(forkpty)(terminal, name, attributes, size);
  return fork_with([&] { return REAL(forkpty)(terminal, name, attributes, size); }, CALLER());
}

JOSTLE_HOOK int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const arguments[],
                            char* const environment[]) {
  if (!controlled())
    return REAL(posix_spawn)(pid, path, actions, attributes, arguments, environment);
  return spawn_with(pid, [&](pid_t* child) {
    return REAL(posix_spawn)(child, path, actions, attributes, arguments, environment);
  });
}

JOSTLE_HOOK int posix_spawnp(pid_t* pid, const char* file,
                             const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const arguments[],
                             char* const environment[]) {
  if (!controlled())
    return REAL(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
  return spawn_with(pid, [&](pid_t* child) {
    return REAL(posix_spawnp)(child, file, actions, attributes, arguments, environment);
  });
}

JOSTLE_HOOK int clone(int (*function)(void*), void* stack, int flags, void* argument,
                      ...) noexcept {
  if (controlled()) {
    needs_own_process("calls clone");
    note_uncontrolled(channel::kRawThread);
  }
  va_list more;
  va_start(more, argument);
  void* parent_tid = va_arg(more, void*);
  void* tls = va_arg(more, void*);
  void* child_tid = va_arg(more, void*);
  va_end(more);
  return REAL(clone)(function, stack, flags, argument, parent_tid, tls, child_tid);
}
JOSTLE_ALIAS(__clone, clone);

// ---- waiting ------------------------------------------------------------------------------------

JOSTLE_HOOK pid_t waitpid(pid_t pid, int* status, int options) {
  if (!controlled()) return REAL(waitpid)(pid, status, options);
  return wait_for_any(pid, status, options, nullptr, CALLER());
}
JOSTLE_ALIAS(__waitpid, waitpid);

JOSTLE_HOOK pid_t wait(int* status) {
  if (!controlled()) return REAL(wait)(status);
  return wait_for_any(-1, status, 0, nullptr, CALLER());
}
JOSTLE_ALIAS(__wait, wait);

JOSTLE_HOOK pid_t wait3(int* status, int options, rusage* usage) noexcept {
  if (!controlled()) return REAL(wait3)(status, options, usage);
  return wait_for_any(-1, status, options, usage, CALLER());
}

JOSTLE_HOOK pid_t wait4(pid_t pid, int* status, int options, rusage* usage) noexcept {
  if (!controlled()) return REAL(wait4)(pid, status, options, usage);
  return wait_for_any(pid, status, options, usage, CALLER());
}

JOSTLE_HOOK int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  if (!controlled()) return REAL(waitid)(type, id, info, options);
  if (type == P_PGID) id = static_cast<id_t>(group_as_kernel_knows(static_cast<pid_t>(id)));
  const Children which = {type, id, options & (WEXITED | WSTOPPED | WCONTINUED)};
  return wait_for_child(which, options & WNOHANG, CALLER(),
                        [&] { return REAL(waitid)(type, id, info, options | WNOHANG); });
}
