// SPDX-License-Identifier: Apache-2.0
// What code asks the processor for by an instruction instead of a function: random numbers (rdrand,
// rdseed), as Qt does for the seed of its hash tables, and its counter of time (rdtsc, rdtscp), as
// abseil and ZeroMQ do. All would differ in every run.
//
// Each such instruction is made an invalid one when its module is loaded; the handler of SIGILL
// gives it the next of our own numbers instead, or goes on in processor_counter.h.
#pragma once

#include <ucontext.h>

namespace jostle::rt {

// Of all that is loaded by now. Does nothing but on x86-64.
void take_over_processor_sites();

// For the handler of SIGILL: true when it was one of these, and the context goes on behind it.
bool execute_processor_site(ucontext_t& context);

}  // namespace jostle::rt
