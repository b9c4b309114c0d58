// SPDX-License-Identifier: Apache-2.0
// Handlers and masks: sigaction, signal, pthread_sigmask and their older relatives.
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/kept.h"
#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/signal/signal_handler.h"
#include "src/runtime/interpose/state/no_steps.h"
#include "src/runtime/libc/own_signal.h"
#include "src/runtime/snapshot/kernel_state.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace jostle::rt {

namespace {

struct ProgramAction {
  bool known = false;
  struct sigaction action = {};
};
JOSTLE_LARGE constinit ProgramAction g_program_actions[65];

// Their real handlers are ours (oracle/fatal_signals.cc), and they are never blocked in the kernel.
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

uint64_t never_blocked() {
  uint64_t set = signal_bit(watchdog_signal()) | signal_bit(32) | signal_bit(33) |
                 signal_bit(SIGKILL) | signal_bit(SIGSTOP);
  for (const int sig : kFatal) set |= signal_bit(sig);
  return set;
}

bool is_ours(int sig) {
  for (const int fatal : kFatal) {
    if (sig == fatal) return true;
  }
  return sig == watchdog_signal();
}

// What the kernel gets: our note-taker in place of the program's handler.
int install(int sig, struct sigaction action) {
  if (is_handler(action)) {
    action.sa_sigaction = on_arrival;
    action.sa_flags =
        (action.sa_flags & (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT)) | SA_SIGINFO | SA_ONSTACK;
    action.sa_mask = set_of(~never_blocked());
  }
  kernel_changes(kChangesSignals);
  return REAL(sigaction)(sig, &action, nullptr);
}

// 0 or -1 with errno.
int exchange_action(int sig, const struct sigaction* action, struct sigaction* old) {
  // The kernel judges the number.
  if (!is_signal(sig) || (action && (sig == SIGKILL || sig == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  const struct sigaction before = *program_action(sig);
  if (action) {
    is_no_step();  // who asks, or sends the signal, comes before or behind this
    if (!is_ours(sig) && install(sig, *action) != 0) return -1;
    signals_are_handled_otherwise();
    g_program_actions[sig] = {true, *action};
    discard_ignored(sig);
  }
  if (old) *old = before;
  return 0;
}

sighandler_t exchange_handler(int sig, sighandler_t handler, int flags) {
  struct sigaction action = {};
  struct sigaction old;
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  if (!(flags & SA_NODEFER) && sig >= 1 && sig <= 64) sigaddset(&action.sa_mask, sig);
  return handler == SIG_ERR || exchange_action(sig, &action, &old) != 0 ? (errno = EINVAL, SIG_ERR)
                                                                        : old.sa_handler;
}

// The program starts with the mask that its parent left.
void learn_inherited_mask() {
  static bool learnt = false;
  if (learnt) return;
  learnt = true;
  sigset_t inherited;
  kernel_signal_mask(SIG_BLOCK, nullptr, &inherited);
  const uint64_t blocked = signal_bits(inherited) & ~never_blocked();
  for (ThreadId id = 0; blocked && id < g_scheduler.table_size(); ++id) {
    Thread* thread = g_scheduler.thread_at(id);
    if (thread) thread->signal_mask = set_of(signal_bits(thread->signal_mask) | blocked);
  }
}

int change_mask_by(int how, const sigset_t* set, sigset_t* old) {
  learn_inherited_mask();
  const uint64_t before = signal_bits(g_current->signal_mask);
  if (set) {
    uint64_t after = signal_bits(*set);
    switch (how) {
      case SIG_BLOCK:
        after |= before;
        break;
      case SIG_UNBLOCK:
        after = before & ~after;
        break;
      case SIG_SETMASK:
        break;
      default:
        return EINVAL;
    }
    change_mask(set_of(after));
  }
  // Last: it may be the same set.
  if (old) *old = set_of(before);
  return 0;
}

}  // namespace

const struct sigaction* program_action(int sig) {
  ProgramAction& entry = g_program_actions[sig];
  if (!entry.known) {
    // What is ignored at the start of a program stays ignored (nohup).
    if (is_ours(sig) || REAL(sigaction)(sig, nullptr, &entry.action) != 0) entry.action = {};
    entry.known = true;
  }
  return &entry.action;
}

void set_program_action(int sig, const struct sigaction& action) {
  if (!is_ours(sig)) install(sig, action);
  g_program_actions[sig] = {true, action};
}

bool has_handlers() {
  for (const ProgramAction& entry : g_program_actions) {
    if (entry.known && is_handler(entry.action)) return true;
  }
  return false;
}

sigset_t all_that_may_be_blocked() { return set_of(~never_blocked()); }

void kernel_signal_mask(int how, const sigset_t* set, sigset_t* old) {
  if (set) kernel_changes(kChangesSignals);
  if (old) sigemptyset(old);
  REAL(syscall)(SYS_rt_sigprocmask, how, set, old, sizeof(uint64_t));
}

void update_kernel_mask() {
  uint64_t blocked = ~uint64_t{0};
  for (ThreadId id = 0; id < g_scheduler.table_size(); ++id) {
    const Thread* thread = g_scheduler.thread_at(id);
    if (thread && thread->live) blocked &= signal_bits(thread->signal_mask);
  }
  const sigset_t set = set_of((blocked | signals_kept_in_kernel()) & ~never_blocked());
  kernel_signal_mask(SIG_SETMASK, &set, nullptr);
}

bool change_mask(const sigset_t& mask) {
  learn_inherited_mask();
  Thread& self = *g_current;
  const uint64_t before = signal_bits(self.signal_mask);
  const uint64_t after = signal_bits(mask) & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  if (before == after) return false;
  signals_are_handled_otherwise();
  self.signal_mask = set_of(after);
  update_kernel_mask();
  const uint64_t opened = before & ~after;
  take_from_kernel(opened & signals_kept_in_kernel());
  accept_arrived_signals();
  claim_process_signals();
  if (!(signal_bits(self.signals_pending) & ~after)) return false;
  deliver_pending_signals(nullptr);
  return true;
}

}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK int sigaction(int sig, const struct sigaction* action, struct sigaction* old) noexcept {
  if (!controlled()) return REAL(sigaction)(sig, action, old);
  return exchange_action(sig, action, old);
}
JOSTLE_ALIAS(__sigaction, sigaction);

JOSTLE_HOOK sighandler_t signal(int sig, sighandler_t handler) noexcept {
  if (!controlled()) return REAL(signal)(sig, handler);
  return exchange_handler(sig, handler, SA_RESTART);
}
JOSTLE_ALIAS(bsd_signal, signal);
JOSTLE_ALIAS(ssignal, signal);

JOSTLE_HOOK sighandler_t sysv_signal(int sig, sighandler_t handler) noexcept {
  if (!controlled()) return REAL(sysv_signal)(sig, handler);
  return exchange_handler(sig, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
JOSTLE_ALIAS(__sysv_signal, sysv_signal);

JOSTLE_HOOK int siginterrupt(int sig, int interrupts) noexcept {
  if (!controlled()) return REAL(siginterrupt)(sig, interrupts);
  struct sigaction action;
  if (exchange_action(sig, nullptr, &action) != 0) return -1;
  action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return exchange_action(sig, &action, nullptr);
}

JOSTLE_HOOK int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!controlled()) return REAL(pthread_sigmask)(how, set, old);
  return change_mask_by(how, set, old);
}

JOSTLE_HOOK int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  if (!controlled()) return REAL(sigprocmask)(how, set, old);
  const int error = change_mask_by(how, set, old);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// ---- the older relatives: masks of 32 signals, one at a time ------------------------------------

namespace {

int change_one(int how, int sig) {
  if (!is_signal(sig)) {
    errno = EINVAL;
    return -1;
  }
  const sigset_t set = set_of(signal_bit(sig));
  return sigprocmask(how, &set, nullptr);
}

int change_first_word(int how, int mask) {
  const sigset_t set = set_of(static_cast<uint32_t>(mask));
  sigset_t old;
  if (sigprocmask(how, &set, &old) != 0) return -1;
  return static_cast<int>(signal_bits(old));
}

}  // namespace

JOSTLE_HOOK int sighold(int sig) noexcept { return change_one(SIG_BLOCK, sig); }
JOSTLE_HOOK int sigrelse(int sig) noexcept { return change_one(SIG_UNBLOCK, sig); }
JOSTLE_HOOK int sigblock(int mask) noexcept { return change_first_word(SIG_BLOCK, mask); }
JOSTLE_HOOK int sigsetmask(int mask) noexcept { return change_first_word(SIG_SETMASK, mask); }
JOSTLE_HOOK int siggetmask() noexcept { return change_first_word(SIG_BLOCK, 0); }

JOSTLE_HOOK int sigignore(int sig) noexcept {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  return sigaction(sig, &action, nullptr);
}
