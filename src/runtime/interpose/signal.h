// Signals between the threads of the program, without the kernel.
//
// The kernel knows one thread; the program's threads are ours, and so are their signal masks and
// pending sets. A signal that the program sends to itself (raise, pthread_kill, kill(getpid())) never
// reaches the kernel: its handler is called on the receiving thread's own stack, at a scheduling
// point. A signal from outside (the terminal, alarm(), a child's death) is only noted when it
// arrives and becomes such a signal at the next scheduling point, so that handlers never run in the
// middle of the runtime.
#pragma once

#include <errno.h>
#include <signal.h>

namespace jostle::rt {

struct Thread;

// What the program installed for `sig`; SIG_DFL when nothing.
const struct sigaction* program_action(int sig);

// Runs the handlers of all signals that are pending for the current thread and not blocked by it.
// Does not return if the default action of one of them ends the process.
void deliver_pending_signals();

// After Wake::signalled: did all handlers that just ran ask for interrupted calls to be restarted?
bool interrupted_calls_restart();

// Sends `sig` to the current thread as the kernel would for an error of its own call (SIGPIPE).
void signal_self(int sig);

// Signals from outside that arrived since the last look become pending in a thread. True when there
// were any. Cheap when there are none.
bool accept_arrived_signals();

// The kernel's mask of the one real thread: as sigprocmask, without our bookkeeping.
void kernel_signal_mask(int how, const sigset_t* set, sigset_t* old);

// True when the new mask lets a signal through, which has been handled.
bool enter_temporary_mask(const sigset_t& mask, sigset_t& saved);
void leave_temporary_mask(const sigset_t& saved);

// Calls `f` with `mask` as the current thread's mask, as ppoll and its like do: what the mask lets
// through is delivered instead of the call, or interrupts it. Null: just calls `f`.
template <typename F>
int with_signal_mask(const sigset_t* mask, F&& f) {
  if (!mask) return f();
  sigset_t saved;
  const bool delivered = enter_temporary_mask(*mask, saved);
  const int result = delivered ? -1 : f();
  const int error = delivered ? EINTR : errno;
  leave_temporary_mask(saved);
  errno = error;
  return result;
}
}  // namespace jostle::rt
