// SPDX-License-Identifier: Apache-2.0
// Calls that wait for a signal: sigwait and its relatives, sigsuspend, pause, signalfd.
//
// Only signals that the program sends itself can end such a wait for sure. One from outside may,
// but nobody is known to send it: if every other thread waits, too, it is a deadlock.
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/runtime/hook/alias.h"
#include "src/runtime/hook/deadline.h"
#include "src/runtime/hook/hook.h"
#include "src/runtime/interpose/descriptor/descriptor_table.h"
#include "src/runtime/interpose/descriptor/descriptor_wait.h"
#include "src/runtime/interpose/signal/signal.h"
#include "src/runtime/interpose/state/state_step.h"

extern "C" int __xpg_sigpause(int sig);

namespace jostle::rt {
namespace {

// The number of the signal, or minus an error number.
int wait_for_signal(const sigset_t& wanted, siginfo_t* info, Nanoseconds deadline, uintptr_t pc) {
  Thread& self = *g_current;
  const uint64_t set = signal_bits(wanted) & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
  cancellation_point();
  // Those waited for must not be delivered instead, even where the program forgot to block them.
  const sigset_t saved = self.signal_mask;
  change_mask(set_of(signal_bits(saved) | set));
  note_awaited(set);
  forget_descriptor_wait();
  int result = 0;
  bool cancelled = false;
  while (result == 0 && !cancelled) {
    const Wake wake = g_scheduler.wait(operation(OpKind::signal_wait, nullptr, pc),
                                       [&self, set] {
                                         take_from_kernel(set);
                                         return has_pending(self, set);
                                       },
                                       {.deadline = deadline,
                                        .cancellation_point = true,
                                        .external = true,
                                        .interruptible = true});
    if (wake == Wake::ready) {
      result = take_pending(set, info);
    } else {
      cancelled = wake == Wake::cancelled;
      result = wake == Wake::timeout ? -EAGAIN : wake == Wake::signalled ? -EINTR : 0;
    }
  }
  change_mask(saved);
  if (cancelled) end_if_cancelled();
  return result == 0 ? -EINTR : result;
}

int as_result(int signal_or_error) {
  if (signal_or_error > 0) return signal_or_error;
  errno = -signal_or_error;
  return -1;
}

// Until a handler has run: -1 with EINTR. Null: with the mask as it is.
int suspend(const sigset_t* mask, uintptr_t pc) {
  cancellation_point();
  note_awaited(0);
  forget_descriptor_wait();
  bool cancelled = false;
  const int result = with_signal_mask(mask, [&] {
    const Wake wake =
        g_scheduler.wait(operation(OpKind::signal_wait, nullptr, pc), [] { return false; },
                         {.cancellation_point = true, .external = true, .interruptible = true});
    cancelled = wake == Wake::cancelled;
    errno = EINTR;
    return -1;
  });
  if (cancelled) end_if_cancelled();
  return result;
}

}  // namespace
}  // namespace jostle::rt

using namespace jostle::rt;

JOSTLE_HOOK int sigwait(const sigset_t* set, int* sig) {
  if (!controlled()) return REAL(sigwait)(set, sig);
  const uintptr_t pc = CALLER();
  int result;
  do {
    result = wait_for_signal(*set, nullptr, kNever, pc);
  } while (result == -EINTR);
  if (result < 0) return -result;
  *sig = result;
  return 0;
}

JOSTLE_HOOK int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (!controlled()) return REAL(sigwaitinfo)(set, info);
  return as_result(wait_for_signal(*set, info, kNever, CALLER()));
}

JOSTLE_HOOK int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* timeout) {
  if (!controlled()) return REAL(sigtimedwait)(set, info, timeout);
  if (timeout && (!valid(*timeout) || timeout->tv_sec < 0)) return as_result(-EINVAL);
  const Nanoseconds deadline = timeout ? deadline_after(*timeout) : kNever;
  return as_result(wait_for_signal(*set, info, deadline, CALLER()));
}
JOSTLE_ALIAS(__sigtimedwait, sigtimedwait);

JOSTLE_HOOK int sigsuspend(const sigset_t* mask) {
  if (!controlled()) return REAL(sigsuspend)(mask);
  return suspend(mask, CALLER());
}
JOSTLE_ALIAS(__sigsuspend, sigsuspend);

// System V's, by the name that <signal.h> gives it: waits with this signal unblocked.
JOSTLE_HOOK int __xpg_sigpause(int sig) {
  if (!controlled()) return REAL(__xpg_sigpause)(sig);
  sigset_t mask = g_current->signal_mask;
  if (sigdelset(&mask, sig) != 0) return -1;
  return suspend(&mask, CALLER());
}

JOSTLE_HOOK int pause() {
  if (!controlled()) return REAL(pause)();
  return suspend(nullptr, CALLER());
}

JOSTLE_HOOK int sigpending(sigset_t* set) noexcept {
  const int result = REAL(sigpending)(set);
  if (!controlled() || result != 0) return result;
  signals_are_handled_otherwise();  // as far as the caller sees
  const uint64_t own = pending_for(*g_current) & signal_bits(g_current->signal_mask);
  *set = set_of(signal_bits(*set) | own);
  return 0;
}

JOSTLE_HOOK int signalfd(int fd, const sigset_t* set, int flags) noexcept {
  if (fd < 0) makes_descriptor(CALLER());
  const int result = REAL(signalfd)(fd, set, flags);
  if (controlled() && result >= 0) {
    if (fd < 0) {
      note_closed(result);
      note_anonymous(result);
    }
    keep_in_kernel(signal_bits(*set));
  }
  return result;
}
