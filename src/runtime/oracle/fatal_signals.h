// Signals that end a run: faults of the program, and the watchdog's.
#pragma once

namespace jostle::rt {

// Our handlers, on a stack of their own. The program's handlers for the same signals are kept by
// interpose/signal.cc and asked first.
void install_fatal_signal_handlers();

// Ends the process as the default action of `signal` does, after recording it.
[[noreturn]] void die_of_signal(int signal);

// Real time after which the run is ended as timed out; 0: never.
void start_watchdog(unsigned long long nanoseconds);
int watchdog_signal();

}  // namespace jostle::rt
