// SPDX-License-Identifier: Apache-2.0
// Signals between the threads of the program, without the kernel.
//
// The kernel knows one thread; the program's threads are ours, and so are their signal masks and
// pending sets. A signal that the program sends to itself (raise, pthread_kill, kill(getpid()))
// never reaches the kernel: its handler is called on the receiving thread's own stack, at a
// scheduling point. A signal from outside (the terminal, alarm(), a child's death) is only noted
// when it arrives and becomes such a signal at the next opportunity, so that handlers never run in
// the middle of the runtime.
//
// signal.cc holds the model and what sends, signal_action.cc handlers and masks, signal_handler.cc
// runs handlers, signal_wait.cc has the calls that wait for signals.
#pragma once

#include <errno.h>
#include <signal.h>

#include <cstdint>

#include "src/runtime/scheduler/requests.h"
#include "src/runtime/scheduler/scheduler.h"

namespace jostle::rt {

// ---- for the rest of the runtime ----------------------------------------------------------------

// What the program installed for `sig`; SIG_DFL when nothing.
const struct sigaction* program_action(int sig);

// After Wake::signalled: did the handler that interrupted the call ask for it to be restarted? When
// there were several, the kernel asks the one whose signal it took first.
bool interrupted_calls_restart();

// Sends `sig` to the current thread as the kernel would for an error of its own call (SIGPIPE).
void signal_self(int sig);

// Something has arrived from outside since the last accept_arrived_signals().
extern volatile sig_atomic_t g_signals_arrived;
// Makes it pending in a thread; handlers do not run here. True when there was something.
bool accept_arrived_signals();

// Is somebody outside known who may send a signal that the program would notice: a living child?
bool signals_may_come();

// A timer's signal for one thread, or null: for the process. True when it is pending now, so that
// timer_signal_taken will be called if it is one of SI_TIMER.
bool send_from_timer(Thread* thread, const siginfo_t& info);
// What the current thread has done so far comes before the handlers of signals that are sent later.
void comes_before_signals();
// Would it end the process, if it came now?
bool would_be_fatal(int sig);
// Null: no thread has it.
Thread* thread_with_kernel_id(pid_t kernel_id);
// The same for calls to which 0 means the running thread.
inline Thread* thread_of(pid_t id) { return id == 0 ? g_current : thread_with_kernel_id(id); }
// Defined by the timers: somebody takes the signal, and hears how many others it stands for.
void timer_signal_taken(siginfo_t& info);

// ---- masks --------------------------------------------------------------------------------------

// The kernel's mask of the one real thread: as sigprocmask, without our bookkeeping.
// Everything but faults and what is ours.
sigset_t all_that_may_be_blocked();
void kernel_signal_mask(int how, const sigset_t* set, sigset_t* old);
// The kernel may deliver what at least one thread lets through.
void update_kernel_mask();

// The current thread's mask becomes `mask`. True when it let a signal through, which was handled.
bool change_mask(const sigset_t& mask);

// What becomes of signals that are sent has changed: a mask, a handler.
void signals_are_handled_otherwise();

// Calls `f` with `mask` as the current thread's mask, as ppoll and its like do: what the mask lets
// through is handled instead of the call, or interrupts it. Null: just calls `f`.
template <typename F>
int with_signal_mask(const sigset_t* mask, F&& f);

// ---- the model, for the hooks -------------------------------------------------------------------

// Linux has 64 signals: the first word of a set is all of it.
inline uint64_t signal_bits(const sigset_t& set) {
  return *reinterpret_cast<const uint64_t*>(&set);
}
inline uint64_t signal_bit(int sig) { return uint64_t{1} << (sig - 1); }
sigset_t set_of(uint64_t signals);

// Is it a number that programs may use? (glibc keeps two for itself.)
bool is_signal(int sig);
// Has the program any handler?
bool has_handlers();
void set_program_action(int sig, const struct sigaction& action);

// Takes the pending signal of `set` with the lowest number away from the current thread or the
// process. 0: none.
int take_pending(uint64_t set, siginfo_t* info);
bool has_pending(const Thread& thread, uint64_t set);
uint64_t pending_for(const Thread& thread);
// Moves what is pending for the whole process to the current thread as far as it lets it through.
void claim_process_signals();
// What is pending and ignored from now on is not pending any more.
void discard_ignored(int sig);
// The current thread ends: what was meant for the process goes to another thread.
void hand_over_signals();
// The real handler behind every handler of the program's.
void on_arrival(int sig, siginfo_t* info, void* context);
// Signals that a signalfd shows: while they are blocked they wait in the kernel, where it finds
// them.
void keep_in_kernel(uint64_t set);
uint64_t signals_kept_in_kernel();
// Gets such signals, or those from outside, out of the kernel.
void take_from_kernel(uint64_t set);
// The current thread waits for these by sigwait (0: for any handler, by sigsuspend).
void note_awaited(uint64_t set);
// What threads wait for by sigwait now: of interest from outside, although it has no handler.
uint64_t awaited_signals();
// In a forked child: nothing is pending.
void forget_pending_signals();

template <typename F>
int with_signal_mask(const sigset_t* mask, F&& f) {
  if (!mask) return f();
  const sigset_t saved = g_current->signal_mask;
  const bool handled = change_mask(*mask);
  const int result = handled ? -1 : f();
  const int error = handled ? EINTR : errno;
  change_mask(saved);
  errno = error;
  return result;
}

}  // namespace jostle::rt
