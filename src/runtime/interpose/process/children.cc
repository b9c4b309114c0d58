// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/interpose/process/children.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/scheduler/time/external.h"

namespace jostle::rt {
namespace {

RunVector<pid_t> g_children;  // that have not been seen to be over
pid_t g_self = 0;             // when the last one was started
pid_t g_parent = 0;           // 0: the program itself has none

// Has not ended: neither reaped nor waiting for that.
bool lives(idtype_t type, id_t id) {
  siginfo_t info;
  info.si_pid = 0;
  return REAL(waitid)(type, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

}  // namespace

void prepare_child() { g_self = kernel_process_id(); }

void note_child(pid_t process) {
  if (process > 0) g_children.push_back(process);
  g_outside_watched = true;
  g_scheduler.watch_work();
}

bool has_living_parent() { return g_parent != 0 && kernel_parent_id() == g_parent; }

bool has_living_relative() {
  if (!g_outside_watched) return false;
  if (has_living_parent()) return true;
  const int saved = errno;
  // Those of libc are known only by this: there are some, and none has ended.
  bool any = lives(P_ALL, 0);
  while (!any && !g_children.empty()) {
    any = lives(P_PID, static_cast<id_t>(g_children.back()));
    if (!any) g_children.pop_back();
  }
  errno = saved;
  return any;
}

void forget_children() {
  g_children.clear();
  g_parent = g_self;
  g_outside_watched = true;
  g_scheduler.watch_work();
}

}  // namespace jostle::rt
