// Signals between the threads of the program, without the kernel.
//
// The kernel knows one thread; the program's threads are ours, and so are their signal masks and
// pending sets. A signal that the program sends to itself (raise, pthread_kill, kill(getpid())) never
// reaches the kernel: its handler is called on the receiving thread's own stack, at a scheduling
// point. A signal from outside (the terminal, alarm(), a child's death) is only noted when it
// arrives and becomes such a signal at the next scheduling point, so that handlers never run in the
// middle of the runtime.
#pragma once

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

// Called with the current thread: its mask becomes `mask` for the time of a ppoll, pselect, … and
// what it lets through is delivered at once (`delivered`).
class TemporarySignalMask {
 public:
  explicit TemporarySignalMask(const sigset_t* mask);  // null: changes nothing
  ~TemporarySignalMask();
  TemporarySignalMask(const TemporarySignalMask&) = delete;
  TemporarySignalMask& operator=(const TemporarySignalMask&) = delete;
  bool delivered() const { return delivered_; }

 private:
  bool active_;
  bool delivered_ = false;
  sigset_t saved_{};
};

}  // namespace jostle::rt
