// SPDX-License-Identifier: Apache-2.0
// The end of a run: whatever goes wrong comes through here, is written into the channel's record
// with stacks and the state of every thread, and then ends the process the way the program would
// have ended. The ends that lower layers bring about are declared there: scheduler/end_of_run.h,
// heap/heap_failure.h.
#pragma once

#include <cstdarg>
#include <cstdint>

#include "src/schedule/status.h"

namespace jostle::rt {

// Undefined use of a synchronisation object that glibc would let pass. Fails the run.
[[noreturn]] void misuse(const volatile void* object, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// The target did something that cannot be controlled and would make results wrong.
[[noreturn]] void unsupported(const char* format, ...) __attribute__((format(printf, 1, 2)));

// It did something uncontrolled that is tolerated; `jostle doctor` and the summary say so.
void note_uncontrolled(channel::Uncontrolled what);

// The program ends well, but has lost memory: RunRecord::leaks.
[[noreturn]] void fail_leak();

// The program is about to abort: records how. With `expression` it is a failed assert().
void record_abort(const char* expression, const char* file, unsigned line, const char* function,
                  uintptr_t pc);

// After record_abort, when the program need not die by the signal.
[[noreturn]] void end_failed_run();

// Operations returned what no order of them does, or one never returned.
[[noreturn]] void fail_history(const char* file, unsigned line, uintptr_t pc);

// Functions that were to look atomic do not.
[[noreturn]] void fail_result();

// A fatal signal: `pc` is where it struck.
void record_signal(int signal, uintptr_t address, uintptr_t pc);

// The program ends by itself with `status`.
void record_exit(int status);

// The data race that was found last, when races are failures.
[[noreturn]] void fail_race(const channel::RaceRecord& race);

// A loop without end and without hooks; `pc` is an instruction of it.
[[noreturn]] void end_endless_run(uintptr_t pc);

}  // namespace jostle::rt
