#include "src/runtime/oracle/fatal_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/base/kept.h"
#include "src/runtime/embedded/embedded.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/signal.h"
#include "src/runtime/memory/modules.h"
#include "src/runtime/oracle/failure.h"
#include "src/runtime/own_signal.h"
#include "src/runtime/scheduler/end_of_run.h"
#include "src/runtime/snapshot/image.h"
#include "src/runtime/snapshot/kernel_state.h"
#include "src/runtime/snapshot/leave.h"

namespace jostle::rt {
namespace {

constexpr size_t kStackSize = 256 * 1024;
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

uintptr_t fault_pc(void* context) {
  auto* u = static_cast<ucontext_t*>(context);
#if defined(__aarch64__)
  return u->uc_mcontext.pc;
#else
  return static_cast<uintptr_t>(u->uc_mcontext.gregs[REG_RIP]);
#endif
}

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
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && image_on_fault(address)) return;
  if (const struct sigaction* mine = program_action(signal)) {
    kernel_changes(kChangesSignals);  // it may jump out, and leave our mask behind
    if (mine->sa_flags & SA_SIGINFO) {
      mine->sa_sigaction(signal, info, context);
      return;
    }
    if (mine->sa_handler == SIG_IGN) return;
    if (mine->sa_handler != SIG_DFL) {
      mine->sa_handler(signal);
      return;
    }
  }
  uintptr_t pc = fault_pc(context);
  // A hook that looks at the memory the program is about to touch faults in its place.
  if (is_own_code(pc) && g_current) pc = g_current->pending.pc;
  record_signal(signal, address, pc);
  if (in_process_run()) {
    kernel_changes(kChangesSignals);  // the mask of the handler
    leave_run(Leaving::ended);
  }
  set_default(signal);
  if (info->si_code <= 0) die_of_signal(signal);  // sent, not caused: it would not come again
}

// A run of its own process has a timer of its own. In a process that goes on one timer ticks for
// all runs, and a run that is there at so many ticks in a row has had its time.
constexpr uint32_t kTicksPerRun = 4;
JOSTLE_KEPT uint64_t g_run_number = 0;
JOSTLE_KEPT uint64_t g_run_at_tick = 0;
JOSTLE_KEPT uint32_t g_ticks = 0;

JOSTLE_SIGNAL_HANDLER void on_watchdog(int, siginfo_t*, void* context) {
  if (!g_current) return;
  const uintptr_t pc = fault_pc(context);
  if (in_process_run()) {
    if (g_run_number != g_run_at_tick) {
      g_run_at_tick = g_run_number;
      g_ticks = 0;
      return;
    }
    if (++g_ticks < kTicksPerRun) return;
    // Our own code is not left in the middle: it ends the run itself.
    if (is_own_code(pc)) return g_scheduler.end_soon();
    kernel_changes(kChangesSignals);
  }
  // The program may have been on its own for long: where it is says more than what it did last.
  if (is_instrumented_code(pc)) end_late_run(pc);
  end_run(channel::Outcome::timed_out, kTooLong);
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

void start_timer(uint64_t first, uint64_t then) {
  if (!first) return;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, watchdog_signal());
  REAL(pthread_sigmask)(SIG_UNBLOCK, &set, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = watchdog_signal();
  // The kernel's timer directly: glibc's wrapper allocates.
  int timer = 0;
  if (REAL(syscall)(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0) return;
  const auto time = [](uint64_t ns) {
    return timespec{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  };
  const itimerspec when{time(then), time(first)};
  REAL(syscall)(SYS_timer_settime, timer, 0, &when, nullptr);
}

}  // namespace

void install_fatal_signal_handlers() {
  stack_t stack{};
  stack.ss_sp = engine_allocate(kStackSize);
  stack.ss_size = kStackSize;
  sigaltstack(&stack, nullptr);
  for (int signal : kFatal) install(signal, on_fatal);
  install(watchdog_signal(), on_watchdog);
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
  REAL(syscall)(SYS_tgkill, getpid(), REAL(syscall)(SYS_gettid), signal);
  REAL(_exit)(128 + signal);
  __builtin_unreachable();
}

void watch_run(uint64_t number) { g_run_number = number; }

void start_watchdog(uint64_t nanoseconds) { start_timer(nanoseconds, 0); }

void start_ticking(uint64_t nanoseconds) {
  start_timer(nanoseconds / kTicksPerRun, nanoseconds / kTicksPerRun);
}

}  // namespace jostle::rt
