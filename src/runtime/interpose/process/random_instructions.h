// SPDX-License-Identifier: Apache-2.0
// Random numbers that a library takes from the processor itself (rdrand, rdseed), as Qt does for
// the seed of its hash tables: they would differ in every run.
//
// Each such instruction is made an invalid one when its library is loaded; the handler of SIGILL
// gives it the next of our own numbers instead.
#pragma once

#include <ucontext.h>

namespace jostle::rt {

// Of all that is loaded by now. Does nothing but on x86-64.
void take_over_random_instructions();

// For the handler of SIGILL: true when it was one of these, and the context goes on behind it.
bool execute_random_instruction(ucontext_t& context);

}  // namespace jostle::rt
