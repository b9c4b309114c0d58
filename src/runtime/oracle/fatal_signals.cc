#include "src/runtime/oracle/fatal_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "src/base/engine_memory.h"
#include "src/runtime/interpose/hook.h"
#include "src/runtime/interpose/signal.h"
#include "src/runtime/memory/modules.h"
#include "src/runtime/oracle/failure.h"

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

void set_default(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  REAL(sigaction)(signal, &action, nullptr);
}

void on_fatal(int signal, siginfo_t* info, void* context) {
  if (const struct sigaction* mine = program_action(signal)) {
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
  record_signal(signal, reinterpret_cast<uintptr_t>(info->si_addr), pc);
  set_default(signal);
  if (info->si_code <= 0) die_of_signal(signal);  // sent, not caused: it would not come again
}

void on_watchdog(int, siginfo_t*, void*) {
  if (!g_current) return;
  end_run(channel::Outcome::timed_out, "the run takes too long in real time");
}

void install(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  // SA_NODEFER: a second fault while we record the first must end the process, not hang it.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigfillset(&action.sa_mask);
  for (int fatal : kFatal) sigdelset(&action.sa_mask, fatal);
  REAL(sigaction)(signal, &action, nullptr);
}

}  // namespace

int watchdog_signal() { return SIGRTMAX; }

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
  set_default(signal);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  REAL(pthread_sigmask)(SIG_UNBLOCK, &set, nullptr);
  REAL(syscall)(SYS_tgkill, getpid(), REAL(syscall)(SYS_gettid), signal);
  REAL(_exit)(128 + signal);
  __builtin_unreachable();
}

void start_watchdog(unsigned long long nanoseconds) {
  if (!nanoseconds) return;
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
  itimerspec when{};
  when.it_value.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
  when.it_value.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
  REAL(syscall)(SYS_timer_settime, timer, 0, &when, nullptr);
}

}  // namespace jostle::rt
