// SPDX-License-Identifier: Apache-2.0
#include "src/runtime/oracle/fatal_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/base/in_handler.h"
#include "src/base/kept.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/image/image.h"
#include "src/runtime/interpose/identity/process_id.h"
#include "src/runtime/interpose/process/processor_sites.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/signal/signal_frame.h"
#include "src/runtime/interpose/signal/signal_handler.h"
#include "src/runtime/memory/races.h"
#include "src/runtime/memory/safe_read.h"
#include "src/runtime/memory/weak_atomics.h"
#include "src/runtime/modules/modules.h"
#include "src/runtime/modules/system_call_sites.h"
#include "src/runtime/oracle/embedded_end.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/oracle/watchdog.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"

namespace jostle::rt {
namespace {

constexpr size_t kStackSize = 256 * 1024;
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

uintptr_t fault_pc(void* context) { return interrupted_at(*static_cast<ucontext_t*>(context)); }

// A core of a process under control says little about the program and is large. Only now, when it
// dies: until then its limits are what it would see without us.
void leave_no_core() {
  if (g_embedded || g_scheduler.channel().config.core) return;
  rlimit limit = {};
  if (REAL(syscall)(SYS_prlimit64, 0, RLIMIT_CORE, nullptr, &limit) != 0) return;
  limit.rlim_cur = 0;
  REAL(syscall)(SYS_prlimit64, 0, RLIMIT_CORE, &limit, nullptr);
}

void set_default(int signal) {
  leave_no_core();
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  REAL(sigaction)(signal, &action, nullptr);
}

JOSTLE_SIGNAL_HANDLER void on_fatal(int signal, siginfo_t* info, void* context) {
  const InHandler here;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && image_on_fault(address)) return;
  if (const uintptr_t next = after_failed_read(fault_pc(context))) {
    auto& interrupted = *static_cast<ucontext_t*>(context);
    return set_interrupted(interrupted, next, interrupted_stack(interrupted));
  }
  if (signal == SIGTRAP && enter_system_call(*static_cast<ucontext_t*>(context))) return;
  if (signal == SIGILL && execute_processor_site(*static_cast<ucontext_t*>(context))) return;
  if (signal == SIGILL && unseen_order_begins(*static_cast<ucontext_t*>(context))) {
    g_races.orders_are_unseen();
    return g_weak.orders_are_unseen();
  }
  const struct sigaction action = *program_action(signal);
  // Sent, not caused: it would not come again. libc's own abort() waits for its handler.
  const bool sent = info->si_code <= 0;
  if (is_handler(action)) {
    if (!controlled()) {
      kernel_changes(kChangesSignals);  // it may jump out, and leave our mask behind
      leaves_handler();
      if (action.sa_flags & SA_SIGINFO) return action.sa_sigaction(signal, info, context);
      return action.sa_handler(signal);
    }
    if (sent && as_kernel_knows(info->si_pid) != kernel_process_id()) {
      return on_arrival(signal, info, context);
    }
    if (return_to_program_handler(signal, info, context)) return;
  } else if (sent && action.sa_handler == SIG_IGN) {
    return;
  }
  leaves_handler();
  uintptr_t pc = fault_pc(context);
  // A hook that looks at the memory the program is about to touch faults in its place.
  if (is_own_code(pc) && g_current) pc = g_current->pending.pc;
  record_signal(signal, address, pc);
  if (in_process_run()) {
    kernel_changes(kChangesSignals);  // the mask of the handler
    leave_run(Leaving::ended);
  }
  set_default(signal);
  if (sent) die_of_signal(signal);
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  // SA_NODEFER: a second fault while we record the first must end the process, not hang it.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigfillset(&action.sa_mask);
  for (int fatal : kFatal) sigdelset(&action.sa_mask, fatal);
  REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace

void install_fatal_signal_handlers() {
  stack_t stack{};
  stack.ss_sp = engine_allocate(kStackSize);
  stack.ss_size = kStackSize;
  sigaltstack(&stack, nullptr);
  for (int signal : kFatal) install(signal, on_fatal);
  may_read_safely();
  install_watchdog();
}

void die_of_signal(int signal) {
  if (g_scheduler.record().end.outcome == channel::Outcome::running) {
    record_signal(signal, 0, g_current ? g_current->pending.pc : 0);
  }
  if (in_process_run()) {
    kernel_changes(kChangesSignals);
    leave_run(Leaving::ended);
  }
  if (g_embedded) fail_embedded_run(signal);
  set_default(signal);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  REAL(pthread_sigmask)(SIG_UNBLOCK, &set, nullptr);
  REAL(syscall)(SYS_tgkill, kernel_process_id(), REAL(syscall)(SYS_gettid), signal);
  REAL(_exit)(128 + signal);
  __builtin_unreachable();
}

}  // namespace jostle::rt
