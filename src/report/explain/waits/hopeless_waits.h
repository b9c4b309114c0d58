// SPDX-License-Identifier: Apache-2.0
// Threads that wait when a run ends and for ever: what the end of the run and its trace tell of
// why. Each adds what it knows to the explanation, or nothing.
#pragma once

#include "src/report/explain/explain.h"

namespace jostle::report {

// Locks, computations and joins: who holds what and wants what, around the cycle.
void explain_cycle(const NamedRun& run, Explanation& into);
// The same where semaphores are used like locks.
void explain_ring(const NamedRun& run, Explanation& into);
// Locks that several processes share: who waits in each of them, and for whom.
void explain_family(const NamedRun& run, Explanation& into);

// Everybody waits for a result, or for who does.
void explain_results(const NamedRun& run, Explanation& into);

// The library's semaphores: who took the last.
void explain_semaphores(const NamedRun& run, Explanation& into);
// It has something to give, and lets this thread sleep on.
void blame_semaphore(const NamedRun& run, const channel::ThreadReport& waiter, Explanation& into);

// A thread waits for a signal that nobody will send: what became of the last one.
void explain_lost_signal(const NamedRun& run, const channel::ThreadReport& waiter,
                         Explanation& into);
// Of several that wait for signals the one that tells more than the first; null: the first does.
const channel::ThreadReport* who_missed_a_signal(const RunTrace& trace);

// A thread waits for what nobody will do, and not because others wait for it.
void explain_wait(const NamedRun& run, const channel::ThreadReport& thread, Explanation& into);

// ---- for these ----------------------------------------------------------------------------------

// The thread's last step on this object; kNoStep.
uint32_t last_step(const RunTrace& trace, uint32_t thread, uintptr_t object);
// The thread was still in this wait when the run ended: nobody has woken it.
bool never_ended(const RunTrace& trace, uint32_t step);

}  // namespace jostle::report
